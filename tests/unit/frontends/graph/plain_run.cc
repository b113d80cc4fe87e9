#include "plain_run.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <memory>

#include "frontends/graph/lower_graph.h"
#include "frontends/graph/resolve.h"
#include "gtest/gtest.h"
#include "interp/interpreter.h"
#include "support/half.h"

namespace tenon::graph {

namespace {

template <class T>
void Append(T value, std::vector<uint8_t>& bytes) {
  const auto* begin = reinterpret_cast<const uint8_t*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof(T));
}

double NumberAt(DataType dtype, const uint8_t* bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, static_cast<size_t>(dtype.element_bytes()));
  if (dtype == DataType::Float(64)) return std::bit_cast<double>(bits);
  if (dtype == DataType::Float(32)) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (dtype == DataType::Float(16)) return FloatFromFloat16(static_cast<uint16_t>(bits));
  if (dtype.is_bfloat16()) return FloatFromBFloat16(static_cast<uint16_t>(bits));
  if (dtype.is_uint()) return static_cast<double>(bits);
  const int unused = 64 - dtype.bits();
  return static_cast<double>(static_cast<int64_t>(bits << unused) >> unused);
}

std::string TextOf(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    text += diagnostic.message + "\n";
    for (const Diagnostic& note : diagnostic.notes) text += note.message + "\n";
  }
  return text;
}

}  // namespace

std::vector<uint8_t> BytesOf(DataType dtype, const std::vector<double>& numbers) {
  std::vector<uint8_t> bytes;
  for (const double number : numbers) {
    if (dtype == DataType::Float(64)) {
      Append(number, bytes);
    } else if (dtype == DataType::Float(32)) {
      Append(static_cast<float>(number), bytes);
    } else if (dtype == DataType::Float(16)) {
      Append(Float16FromDouble(number), bytes);
    } else if (dtype.is_bfloat16()) {
      Append(BFloat16FromDouble(number), bytes);
    } else {
      const uint64_t integer = number < 0 ? static_cast<uint64_t>(static_cast<int64_t>(number))
                                          : static_cast<uint64_t>(number);
      for (int64_t i = 0; i < dtype.element_bytes(); ++i)
        bytes.push_back(static_cast<uint8_t>(integer >> (8 * i)));
    }
  }
  return bytes;
}

GraphResult RunGraph(const Graph& graph, const std::vector<std::vector<uint8_t>>& inputs) {
  GraphResult result;
  Graph resolved = graph;
  ResolveShapes(resolved);
  for (const int output : graph.outputs) result.shapes.push_back(resolved.tensor(output).shape);
  Context context;
  Diagnostics diagnostics;
  const auto module = LowerGraph(context, graph, "test", {}, diagnostics);
  // Tensors without a declared shape are stale, which is a warning.
  result.error = module ? "" : TextOf(diagnostics);
  if (!module) return result;
  const auto interpreter = Interpreter::Compile(*module, diagnostics);
  std::vector<::tenon::Tensor> tensors;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const Tensor& tensor = graph.tensor(graph.inputs[i]);
    tensors.push_back({tensor.dtype, tensor.shape, inputs[i]});
  }
  for (const int output : graph.outputs) {
    const Tensor& tensor = resolved.tensor(output);
    const auto size = static_cast<size_t>(tensor.elements() * tensor.dtype.element_bytes());
    tensors.push_back({tensor.dtype, tensor.shape, std::vector<uint8_t>(size)});
  }
  std::vector<Argument> arguments;
  for (size_t i = 0; i < tensors.size(); ++i)
    arguments.push_back(Argument::Of(&tensors[i], i >= graph.inputs.size()));
  if (!interpreter.ok() || !interpreter->Run("main", arguments, diagnostics)) {
    ADD_FAILURE() << TextOf(diagnostics);
    return result;
  }
  for (size_t i = graph.inputs.size(); i < tensors.size(); ++i) {
    std::vector<double>& numbers = result.outputs.emplace_back();
    const auto size = static_cast<size_t>(tensors[i].dtype.element_bytes());
    for (size_t at = 0; at < tensors[i].bytes.size(); at += size)
      numbers.push_back(NumberAt(tensors[i].dtype, &tensors[i].bytes[at]));
  }
  return result;
}

PlainRun::PlainRun(std::string_view kind) {
  graph_.format = Format::kOnnx;
  op_.kind = kind;
  op_.name = kind;
  op_.place = "node";
}

PlainRun& PlainRun::Set(std::string_view name, Attributes::Value value) {
  op_.attributes.Set(name, std::move(value));
  return *this;
}

int PlainRun::AddTensor(DataType dtype, Shape shape) {
  Tensor tensor;
  tensor.name = "t" + std::to_string(graph_.tensors.size());
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  graph_.tensors.push_back(std::move(tensor));
  return static_cast<int>(graph_.tensors.size()) - 1;
}

PlainRun& PlainRun::In(DataType dtype, Shape shape, const Numbers& numbers) {
  const int number = AddTensor(dtype, std::move(shape));
  EXPECT_EQ(static_cast<int64_t>(numbers.size()), graph_.tensor(number).elements());
  data_.push_back(BytesOf(dtype, numbers));
  graph_.inputs.push_back(number);
  op_.inputs.push_back(number);
  return *this;
}

PlainRun& PlainRun::Constant(DataType dtype, Shape shape, const Numbers& numbers) {
  const int number = AddTensor(dtype, std::move(shape));
  EXPECT_EQ(static_cast<int64_t>(numbers.size()), graph_.tensor(number).elements());
  auto bytes = std::make_shared<std::vector<uint8_t>>(BytesOf(dtype, numbers));
  graph_.tensors.back().data = TensorData{*bytes, bytes, false};
  op_.inputs.push_back(number);
  return *this;
}

PlainRun& PlainRun::NoInput() {
  op_.inputs.push_back(kAbsent);
  return *this;
}

PlainRun& PlainRun::NoOutput() {
  op_.outputs.push_back(kAbsent);
  return *this;
}

PlainRun& PlainRun::Out(DataType dtype) {
  const int number = AddTensor(dtype, {});
  graph_.outputs.push_back(number);
  op_.outputs.push_back(number);
  return *this;
}

std::vector<PlainRun::Numbers> PlainRun::RunAll() {
  Graph graph = graph_;
  graph.operators = {op_};
  GraphResult result = RunGraph(graph, data_);
  error_ = std::move(result.error);
  shapes_ = std::move(result.shapes);
  return std::move(result.outputs);
}

PlainRun::Numbers PlainRun::Run() {
  const std::vector<Numbers> all = RunAll();
  EXPECT_EQ(error_, "");
  return all.empty() ? Numbers{} : all[0];
}

std::vector<double> Noise(size_t count, uint32_t seed) {
  std::vector<double> numbers;
  uint32_t state = seed * 2654435761U + 12345;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    numbers.push_back(static_cast<double>(static_cast<int32_t>(state >> 24) - 128) / 64);
  }
  return numbers;
}

void ExpectNear(const std::vector<double>& found, const std::vector<double>& wanted, double most) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(wanted[i])) {
      EXPECT_TRUE(std::isnan(found[i])) << "element " << i << " is " << found[i];
    } else if (std::isinf(wanted[i])) {
      EXPECT_EQ(found[i], wanted[i]) << "element " << i;
    } else {
      EXPECT_NEAR(found[i], wanted[i], most * (1 + std::abs(wanted[i]))) << "element " << i;
    }
  }
}

}  // namespace tenon::graph
