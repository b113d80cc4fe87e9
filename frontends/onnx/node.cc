#include "frontends/onnx/node.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "frontends/graph/operators.h"
#include "frontends/graph/resolve.h"
#include "frontends/onnx/fold_reals.h"
#include "frontends/onnx/rows.h"
#include "frontends/onnx/tensor_data.h"
#include "support/half.h"
#include "support/little_endian.h"
#include "support/status_macros.h"

namespace tenon::onnx {

namespace {

/// AttributeProto.AttributeType.
enum class AttributeType : int32_t {
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8,
};

struct AttributeRow {
  std::string_view name;
  std::string_view type;
  std::optional<std::string_view> otherwise;
};

std::string_view TakeWord(std::string_view& text) {
  const size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

AttributeRow RowIn(std::string_view word) {
  const size_t colon = word.find(':');
  const size_t equals = word.find('=');
  AttributeRow row{word.substr(0, colon), word.substr(colon + 1, equals - colon - 1), {}};
  if (equals != std::string_view::npos) row.otherwise = word.substr(equals + 1);
  return row;
}

AttributeType TypeIn(std::string_view type) {
  if (type == "i") return AttributeType::kInt;
  if (type == "f") return AttributeType::kFloat;
  if (type == "s") return AttributeType::kString;
  if (type == "is") return AttributeType::kInts;
  if (type == "fs") return AttributeType::kFloats;
  if (type == "ss") return AttributeType::kStrings;
  return AttributeType::kTensor;
}

/// The name that onnx.proto gives to a type of attributes.
std::string AttributeTypeName(int32_t type) {
  constexpr std::string_view kNames[] = {
      "UNDEFINED",      "FLOAT",      "INT",        "STRING",  "TENSOR", "GRAPH",
      "FLOATS",         "INTS",       "STRINGS",    "TENSORS", "GRAPHS", "SPARSE_TENSOR",
      "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
  if (type >= 0 && type < static_cast<int32_t>(std::size(kNames)))
    return std::string(kNames[static_cast<size_t>(type)]);
  return fmt::format("type {}", type);
}

graph::Attributes::Value ValueOf(AttributeType type, const AttributeProto& attribute) {
  switch (type) {
    case AttributeType::kFloat:
      return static_cast<double>(attribute.real);
    case AttributeType::kInts:
      return attribute.integers;
    case AttributeType::kFloats:
      return std::vector<double>(attribute.reals.begin(), attribute.reals.end());
    case AttributeType::kString:
      return std::string(attribute.text);
    case AttributeType::kStrings:
      return fmt::format("{}", fmt::join(attribute.texts, ","));
    default:
      return attribute.integer;
  }
}

graph::Attributes::Value DefaultOf(AttributeType type, std::string_view text) {
  if (type == AttributeType::kInt) {
    int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }
  // The standard's defaults are float32.
  if (type == AttributeType::kFloat)
    return static_cast<double>(std::strtof(std::string(text).c_str(), nullptr));
  return std::string(text);
}

template <class T>
void AppendBits(T value, std::string* bytes) {
  char element[sizeof(T)];
  std::memcpy(element, &value, sizeof(T));
  static_assert(std::endian::native == std::endian::little);
  bytes->append(element, sizeof(T));
}

void AppendReal(DataType dtype, double value, std::string* bytes) {
  if (dtype == DataType::Float(64)) return AppendBits(value, bytes);
  if (dtype == DataType::Float(32)) return AppendBits(static_cast<float>(value), bytes);
  if (dtype.is_bfloat16()) return AppendLittleEndian(BFloat16FromDouble(value), bytes);
  if (dtype.is_floating()) return AppendLittleEndian(Float16FromDouble(value), bytes);
  std::string element;
  AppendLittleEndian(static_cast<int64_t>(value), &element);
  bytes->append(element, 0, static_cast<size_t>(dtype.element_bytes()));
}

}  // namespace

int GraphBuilder::Add(graph::Tensor tensor) {
  graph_.tensors.push_back(std::move(tensor));
  return static_cast<int>(graph_.tensors.size()) - 1;
}

int GraphBuilder::Constant(DataType dtype, std::vector<int64_t> shape,
                           std::span<const double> values) {
  graph::Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  std::string bytes;
  for (const double value : values) AppendReal(dtype, value, &bytes);
  tensor.data = graph::DataOf(std::move(bytes));
  return Add(std::move(tensor));
}

int GraphBuilder::Constant(DataType dtype, std::vector<int64_t> shape,
                           std::span<const int64_t> values) {
  graph::Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.data = graph::DataOf(values, dtype);
  return Add(std::move(tensor));
}

absl::StatusOr<std::vector<int>> GraphBuilder::Emit(std::string_view kind, std::vector<int> inputs,
                                                    graph::Attributes attributes,
                                                    std::span<const DataType> types,
                                                    std::string_view name, std::string_view place) {
  const graph::OperatorKind* row = graph::FindOperatorKind(graph_.format, kind);
  if (row == nullptr)
    return absl::UnimplementedError(fmt::format("{}: Tenon has no such operator", place));
  graph::Operator op;
  op.kind = std::string(kind);
  op.name = std::string(name);
  op.place = std::string(place);
  op.inputs = std::move(inputs);
  op.attributes = std::move(attributes);
  for (const DataType type : types) {
    if (type.is_void()) {
      op.outputs.push_back(graph::kAbsent);
      continue;
    }
    graph::Tensor tensor;
    tensor.dtype = type;
    op.outputs.push_back(Add(std::move(tensor)));
  }
  TENON_ASSIGN_OR(const graph::Shapes shapes,
                  graph::OutputShapes(*row, graph::OperatorView(graph_, op)));
  for (size_t i = 0; i < op.outputs.size() && i < shapes.size(); ++i) {
    if (op.outputs[i] == graph::kAbsent) continue;
    TENON_TRY(CheckShape(place, shapes[i]));
    graph_.tensors[static_cast<size_t>(op.outputs[i])].shape = shapes[i];
  }
  std::vector<int> outputs = op.outputs;
  bool is_known = IsEmpty(op);
  if (!is_known) {
    TENON_ASSIGN_OR(is_known, ResolveOperator(graph_, op, steps_));
  }
  if (!is_known) {
    TENON_ASSIGN_OR(is_known, FoldReals(graph_, op, steps_));
  }
  if (!is_known) graph_.operators.push_back(std::move(op));
  return outputs;
}

std::vector<std::string> GraphBuilder::InputsOf(int number) {
  if (searches_left_ == 0) return {};
  --searches_left_;
  std::set<int> needed = {number};
  for (size_t i = graph_.operators.size(); i-- > 0;) {
    const graph::Operator& op = graph_.operators[i];
    const bool is_needed = std::any_of(op.outputs.begin(), op.outputs.end(),
                                       [&](int output) { return needed.contains(output); });
    if (is_needed) needed.insert(op.inputs.begin(), op.inputs.end());
  }
  std::vector<std::string> names;
  for (const int input : graph_.inputs)
    if (needed.contains(input)) names.push_back(tensor(input).name);
  return names;
}

bool GraphBuilder::IsEmpty(const graph::Operator& op) {
  for (const int number : op.outputs)
    if (number != graph::kAbsent && tensor(number).elements() != 0) return false;
  for (const int number : op.outputs)
    if (number != graph::kAbsent)
      graph_.tensors[static_cast<size_t>(number)].data = graph::DataOf(std::string());
  return true;
}

absl::Status Node::ReadAttributes(std::span<const AttributeProto> attributes) {
  std::string_view rest = row_.attributes;
  std::vector<std::string_view> known;
  while (!rest.empty()) {
    const AttributeRow row = RowIn(TakeWord(rest));
    if (row.type.starts_with('@') || row.type.starts_with('#')) {
      TENON_TRY(ReadInput(row.name, row.type));
      continue;
    }
    known.push_back(row.name);
    const AttributeType type = TypeIn(row.type);
    const AttributeProto* found = nullptr;
    for (const AttributeProto& attribute : attributes)
      if (attribute.name == row.name) found = &attribute;
    if (found == nullptr) {
      if (row.otherwise) attributes_.Set(row.name, DefaultOf(type, *row.otherwise));
      continue;
    }
    if (found->type != 0 && found->type != static_cast<int32_t>(type)) {
      return Wrong(fmt::format("expected the type {} for the attribute `{}`, found {}",
                               AttributeTypeName(static_cast<int32_t>(type)), row.name,
                               AttributeTypeName(found->type)));
    }
    if (type == AttributeType::kTensor) {
      if (found->tensor == nullptr)
        return Wrong(fmt::format("expected a tensor in the attribute `{}`", row.name));
      tensors_.push_back(*found);
    } else {
      attributes_.Set(row.name, ValueOf(type, *found));
    }
  }
  for (const AttributeProto& attribute : attributes) {
    if (std::find(known.begin(), known.end(), attribute.name) == known.end())
      return Unsupported(fmt::format("the attribute `{}`", attribute.name));
  }
  return absl::OkStatus();
}

absl::Status Node::ReadInput(std::string_view name, std::string_view type) {
  const auto index = static_cast<size_t>(type[1] - '0');
  settings_.insert(index);
  if (!HasInput(index)) return absl::OkStatus();
  if (!in(index).dtype.is_integer()) {
    TENON_ASSIGN_OR(std::vector<double> reals, RealsOf(index, name));
    if (type[0] == '@') {
      attributes_.Set(name, std::move(reals));
      return absl::OkStatus();
    }
    constexpr double kExact = 9007199254740992;
    if (reals.size() != 1 || !(std::fabs(reals[0]) < kExact))
      return Wrong(fmt::format("expected one number in input {}", index));
    attributes_.Set(name, static_cast<int64_t>(reals[0]));
    return absl::OkStatus();
  }
  TENON_ASSIGN_OR(std::vector<int64_t> integers, Integers(index, name));
  if (type[0] == '@') {
    attributes_.Set(name, std::move(integers));
  } else if (integers.size() == 1) {
    attributes_.Set(name, integers[0]);
  } else {
    return Wrong(fmt::format("expected one element in input {}, found {}", index, integers.size()));
  }
  return absl::OkStatus();
}

std::vector<int> Node::Operands() const {
  std::vector<int> operands;
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (!settings_.contains(i)) operands.push_back(inputs_[i]);
  while (!operands.empty() && operands.back() == graph::kAbsent) operands.pop_back();
  return operands;
}

absl::Status Node::CheckInputs(size_t least, size_t most) const {
  if (inputs_.size() > most) {
    return Wrong(
        fmt::format("expected {} inputs, found {}", graph::CountText(least, most), inputs_.size()));
  }
  for (size_t i = 0; i < least; ++i)
    if (!HasInput(i)) return Wrong(fmt::format("input {} is missing", i));
  return absl::OkStatus();
}

const AttributeProto* Node::Proto(std::string_view name) const {
  for (const AttributeProto& attribute : tensors_)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

absl::StatusOr<int64_t> Node::Axis(int64_t axis, int64_t rank) const {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  return Wrong(fmt::format("expected an axis of {} dimensions, found {}", rank, axis));
}

absl::StatusOr<std::vector<int64_t>> Node::Integers(size_t index, std::string_view what) const {
  const graph::Tensor& tensor = in(index);
  constexpr int64_t kMostSettings = 1 << 16;
  if (!tensor.HasIntegers()) return NotKnown(index, what);
  if (tensor.elements() <= kMostSettings) return *tensor.Integers();
  return Wrong(fmt::format("expected at most {} elements in `{}`, found {}", kMostSettings, what,
                           tensor.elements()));
}

absl::StatusOr<std::vector<double>> Node::RealsOf(size_t index, std::string_view what) const {
  const graph::Tensor& tensor = in(index);
  if (!tensor.data) return NotKnown(index, what);
  auto values = RealsIn(tensor);
  if (values) return *std::move(values);
  return Unsupported(fmt::format("the {} of {}", what, tensor.TypeText()));
}

absl::Status Node::NotKnown(size_t index, std::string_view what) const {
  const std::vector<std::string> names = builder_.InputsOf(inputs_[index]);
  std::string reason = fmt::format("the {} must be constant, but `{}` is known only at run time",
                                   what, in(index).name);
  if (!names.empty() && names[0] != in(index).name)
    reason += fmt::format("; it follows from the inputs `{}`", fmt::join(names, "`, `"));
  return Unsupported(reason);
}

absl::StatusOr<std::vector<int>> Node::Emit(std::string_view kind, std::vector<int> inputs,
                                            std::span<const DataType> types,
                                            graph::Attributes attributes) {
  return builder_.Emit(kind, std::move(inputs), std::move(attributes), types, proto_.op_type,
                       place_);
}

absl::StatusOr<int> Node::Emit(std::string_view kind, std::vector<int> inputs, DataType type,
                               graph::Attributes attributes) {
  TENON_ASSIGN_OR(
      const std::vector<int> outputs,
      Emit(kind, std::move(inputs), std::span<const DataType>(&type, 1), std::move(attributes)));
  return outputs[0];
}

absl::Status Node::EmitOutput(std::string_view kind, std::vector<int> inputs, DataType type,
                              graph::Attributes attributes) {
  TENON_ASSIGN_OR(const int output, Emit(kind, std::move(inputs), type, std::move(attributes)));
  Bind(0, output);
  return absl::OkStatus();
}

absl::Status Node::EmitOutputs(std::string_view kind, std::vector<int> inputs,
                               std::span<const DataType> types, graph::Attributes attributes) {
  std::vector<DataType> own(types.begin(), types.end());
  for (size_t i = 0; i < own.size(); ++i)
    if (!HasOutput(i)) own[i] = DataType::Void();
  while (!own.empty() && own.back().is_void()) own.pop_back();
  TENON_ASSIGN_OR(const std::vector<int> numbers,
                  Emit(kind, std::move(inputs), own, std::move(attributes)));
  for (size_t i = 0; i < numbers.size(); ++i) Bind(i, numbers[i]);
  return absl::OkStatus();
}

absl::Status Node::Wrong(std::string_view message) const { return onnx::Wrong(place_, message); }

absl::Status Node::Unsupported(std::string_view message) const {
  return absl::UnimplementedError(fmt::format("{}: {}", place_, message));
}

}  // namespace tenon::onnx
