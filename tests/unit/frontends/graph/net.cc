#include "net.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "frontends/graph/operators.h"
#include "frontends/graph/resolve.h"
#include "gtest/gtest.h"

namespace tenon::graph {

int Net::AddTensor(DataType dtype, Shape shape) {
  Tensor tensor;
  tensor.name = "t" + std::to_string(graph_.tensors.size());
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  graph_.tensors.push_back(std::move(tensor));
  return static_cast<int>(graph_.tensors.size()) - 1;
}

Net::Numbers Net::NoiseOf(DataType dtype, const Shape& shape) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  Numbers numbers = Noise(static_cast<size_t>(count), seed_++);
  // Integers of -16 to 15, or of 0 to 31.
  if (!dtype.is_floating()) {
    for (double& number : numbers) number = std::floor(number * 8) + (dtype.is_uint() ? 16 : 0);
  }
  return numbers;
}

int Net::In(DataType dtype, Shape shape) {
  const int number = AddTensor(dtype, std::move(shape));
  data_.push_back(BytesOf(dtype, NoiseOf(dtype, this->shape(number))));
  graph_.inputs.push_back(number);
  return number;
}

int Net::Constant(DataType dtype, Shape shape, const Numbers& numbers) {
  const int number = AddTensor(dtype, std::move(shape));
  EXPECT_EQ(static_cast<int64_t>(numbers.size()), graph_.tensor(number).elements());
  auto bytes = std::make_shared<std::vector<uint8_t>>(BytesOf(dtype, numbers));
  graph_.tensors.back().data = TensorData{*bytes, bytes, false};
  return number;
}

int Net::Constant(DataType dtype, Shape shape) {
  const Numbers numbers = NoiseOf(dtype, shape);
  return Constant(dtype, std::move(shape), numbers);
}

int Net::State(DataType dtype, Shape shape) {
  const int number = AddTensor(dtype, std::move(shape));
  graph_.tensors.back().is_state = true;
  return number;
}

int Net::Add(std::string_view kind, std::vector<int> inputs, const Settings& settings,
             DataType dtype, size_t outputs) {
  Operator op;
  op.kind = kind;
  op.name = kind;
  op.place = "node " + std::to_string(graph_.operators.size());
  op.inputs = std::move(inputs);
  for (const auto& [name, value] : settings) op.attributes.Set(name, value);
  const int first = static_cast<int>(graph_.tensors.size());
  for (size_t i = 0; i < outputs; ++i) op.outputs.push_back(AddTensor(dtype, {}));
  const OperatorKind* row = FindOperatorKind(Format::kOnnx, kind);
  EXPECT_NE(row, nullptr) << kind;
  const auto shapes = OutputShapes(*row, OperatorView(graph_, op));
  EXPECT_TRUE(shapes.ok()) << shapes.status();
  for (size_t i = 0; shapes.ok() && i < outputs; ++i)
    graph_.tensors[static_cast<size_t>(first) + i].shape = (*shapes)[i];
  graph_.operators.push_back(std::move(op));
  return first;
}

Graph Net::Check() const {
  const GraphResult wanted = RunGraph(graph_, data_);
  EXPECT_EQ(wanted.error, "");
  Graph last = SetLayout(graph_, {.channels_last = true});
  const GraphResult found = RunGraph(last, data_);
  EXPECT_EQ(found.error, "");
  EXPECT_EQ(found.shapes, wanted.shapes);
  // All shapes that operators give must be those of the new graph.
  Graph resolved = last;
  EXPECT_EQ(ResolveShapes(resolved).stale.size(), 0U);
  EXPECT_EQ(found.outputs.size(), wanted.outputs.size());
  for (size_t i = 0; i < std::min(found.outputs.size(), wanted.outputs.size()); ++i) {
    if (graph_.tensor(graph_.outputs[i]).dtype.is_floating()) {
      ExpectNear(found.outputs[i], wanted.outputs[i], 1e-4);
    } else {
      EXPECT_EQ(found.outputs[i], wanted.outputs[i]);
    }
  }
  return last;
}

std::vector<std::string> KindsOf(const Graph& graph) {
  std::set<int> needed(graph.outputs.begin(), graph.outputs.end());
  std::vector<std::string> kinds;
  for (size_t i = graph.operators.size(); i-- > 0;) {
    const Operator& op = graph.operators[i];
    const auto is_needed = [&](int output) { return needed.contains(output); };
    if (!op.outputs.empty() && std::none_of(op.outputs.begin(), op.outputs.end(), is_needed))
      continue;
    needed.insert(op.inputs.begin(), op.inputs.end());
    if (!IsReshape(graph.format, op)) kinds.push_back(op.kind);
  }
  std::reverse(kinds.begin(), kinds.end());
  return kinds;
}

int64_t TransposesOf(const Graph& graph) {
  const std::vector<std::string> kinds = KindsOf(graph);
  return std::count(kinds.begin(), kinds.end(), "transpose");
}

}  // namespace tenon::graph
