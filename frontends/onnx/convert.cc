#include "frontends/onnx/convert.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontends/onnx/fold_reals.h"
#include "frontends/onnx/rows.h"
#include "support/status_macros.h"

namespace tenon::onnx {

namespace {

constexpr DataType kInt64 = DataType::Int(64);

/// One operator of the row's kind; `types` are those of the outputs.
absl::Status ConvertTo(Node& node, const std::vector<DataType>& types) {
  return node.EmitOutputs(node.row().kind, node.Operands(), types, node.attributes());
}

absl::Status ConvertAll(Node& node, DataType type) {
  return ConvertTo(node, std::vector<DataType>(node.outputs(), type));
}

}  // namespace

absl::Status ConvertSame(Node& node) {
  if (!node.HasInput(0)) return node.Wrong("input 0 is missing");
  return ConvertAll(node, node.in(0).dtype);
}

absl::Status ConvertSecond(Node& node) {
  if (!node.HasInput(1)) return node.Wrong("input 1 is missing");
  return ConvertAll(node, node.in(1).dtype);
}

absl::Status ConvertBool(Node& node) { return ConvertAll(node, DataType::Bool()); }
absl::Status ConvertInt32(Node& node) { return ConvertAll(node, DataType::Int(32)); }
absl::Status ConvertInt64(Node& node) { return ConvertAll(node, kInt64); }

absl::Status ConvertWithIndices(Node& node) {
  if (!node.HasInput(0)) return node.Wrong("input 0 is missing");
  std::vector<DataType> types(node.outputs(), kInt64);
  if (!types.empty()) types[0] = node.in(0).dtype;
  return ConvertTo(node, types);
}

absl::Status ConvertTopK(Node& node) { return ConvertWithIndices(node); }

absl::Status ConvertNormalization(Node& node) {
  if (!node.HasInput(0)) return node.Wrong("input 0 is missing");
  std::vector<DataType> types(node.outputs(), DataType::Float(32));
  if (!types.empty()) types[0] = node.in(0).dtype;
  return ConvertTo(node, types);
}

absl::Status ConvertOneHot(Node& node) {
  if (!node.HasInput(2)) return node.Wrong("input 2 is missing");
  return ConvertAll(node, node.in(2).dtype);
}

absl::Status ConvertCast(Node& node) {
  const auto to = static_cast<int32_t>(node.Int("to"));
  const std::optional<DataType> dtype = TypeOf(to);
  if (!dtype) return node.Unsupported(fmt::format("a cast to {}", TypeName(to)));
  return node.EmitOutput("cast", node.Operands(), *dtype);
}

absl::Status ConvertCastLike(Node& node) {
  TENON_TRY(node.CheckInputs(2, 2));
  return node.EmitOutput("cast", {node.input(0)}, node.in(1).dtype);
}

absl::Status ConvertIdentity(Node& node) {
  TENON_TRY(node.CheckInputs(1, 1));
  node.Bind(0, node.input(0));
  return absl::OkStatus();
}

// Without training, it keeps its input. The mask says that every element is kept.
absl::Status ConvertDropout(Node& node) {
  TENON_TRY(node.CheckInputs(1, 3));
  if (node.Has("is_test") && node.Int("is_test") == 0) return node.Unsupported("training");
  if (node.HasInput(2)) {
    TENON_ASSIGN_OR(const std::vector<int64_t> training, node.Integers(2, "training mode"));
    if (training.size() == 1 && training[0] != 0) return node.Unsupported("training");
  }
  node.Bind(0, node.input(0));
  if (!node.HasOutput(1)) return absl::OkStatus();
  graph::Attributes attributes;
  attributes.Set("shape", node.in(0).shape);
  TENON_ASSIGN_OR(const int mask, node.Emit("expand", {node.Scalar(DataType::Bool(), 1)},
                                            DataType::Bool(), std::move(attributes)));
  node.Bind(1, mask);
  return absl::OkStatus();
}

absl::Status ConvertConstant(Node& node) {
  TENON_TRY(node.CheckInputs(0, 0));
  if (const AttributeProto* value = node.Proto("value")) {
    TENON_ASSIGN_OR(graph::Tensor tensor, node.builder().tensors().Read(*value->tensor));
    tensor.name.clear();
    node.Bind(0, node.builder().Add(std::move(tensor)));
    return absl::OkStatus();
  }
  if (node.Has("value_int")) {
    const int64_t value = node.Int("value_int");
    node.Bind(0, node.builder().Constant(kInt64, {}, std::span<const int64_t>(&value, 1)));
  } else if (node.Has("value_ints")) {
    node.Bind(0, node.Integers(node.Ints("value_ints")));
  } else if (node.Has("value_float")) {
    node.Bind(0, node.Scalar(DataType::Float(32), node.Real("value_float")));
  } else if (node.Has("value_floats")) {
    const std::vector<double> values = node.Reals("value_floats");
    node.Bind(0, node.Constant(DataType::Float(32), {static_cast<int64_t>(values.size())}, values));
  } else {
    return node.Wrong("expected a value, found none");
  }
  return absl::OkStatus();
}

absl::Status ConvertConstantOfShape(Node& node) {
  graph::Tensor one;
  one.dtype = DataType::Float(32);
  int value = graph::kAbsent;
  if (const AttributeProto* proto = node.Proto("value")) {
    TENON_ASSIGN_OR(graph::Tensor tensor, node.builder().tensors().Read(*proto->tensor));
    if (!tensor.unsupported.empty()) return node.Unsupported("a value that " + tensor.unsupported);
    if (tensor.elements() != 1)
      return node.Wrong("expected a value of one element, found " + tensor.TypeText());
    tensor.shape.clear();
    tensor.name.clear();
    value = node.builder().Add(std::move(tensor));
  } else {
    value = node.Scalar(DataType::Float(32), 0);
  }
  const std::vector<int64_t> shape = node.Ints("shape");
  TENON_TRY(CheckShape(node.place(), shape));
  const graph::Tensor& of = node.tensor(value);
  int64_t elements = 1;
  for (const int64_t extent : shape) elements *= extent;
  constexpr int64_t kMostCopies = 1 << 20;
  if (elements > kMostCopies) {
    graph::Attributes attributes;
    attributes.Set("shape", shape);
    return node.EmitOutput("expand", {value}, of.dtype, std::move(attributes));
  }
  graph::Tensor tensor;
  tensor.dtype = of.dtype;
  tensor.shape = shape;
  std::string bytes;
  for (int64_t i = 0; i < elements; ++i)
    bytes.append(reinterpret_cast<const char*>(of.data->bytes.data()), of.data->bytes.size());
  tensor.data = graph::DataOf(std::move(bytes));
  node.Bind(0, node.builder().Add(std::move(tensor)));
  return absl::OkStatus();
}

absl::Status ConvertRange(Node& node) {
  TENON_TRY(node.CheckInputs(3, 3));
  const DataType dtype = node.in(0).dtype;
  constexpr double kMostSteps = 1 << 20;
  const auto count_error = [&](double count) {
    return node.Wrong(fmt::format("expected at most {} elements, found {}", kMostSteps, count));
  };
  if (dtype.is_integer()) {
    std::vector<int64_t> bounds;
    for (size_t i = 0; i < 3; ++i) {
      TENON_ASSIGN_OR(const std::vector<int64_t> bound, node.Integers(i, "bounds"));
      if (bound.size() != 1) return node.Wrong("expected bounds of one element");
      bounds.push_back(bound[0]);
    }
    if (bounds[2] == 0) return node.Wrong("expected a step other than 0");
    const double count =
        std::ceil((static_cast<double>(bounds[1]) - static_cast<double>(bounds[0])) /
                  static_cast<double>(bounds[2]));
    if (count > kMostSteps) return count_error(count);
    std::vector<int64_t> values;
    for (int64_t i = 0; static_cast<double>(i) < count; ++i)
      values.push_back(
          static_cast<int64_t>(static_cast<uint64_t>(bounds[0]) +
                               static_cast<uint64_t>(i) * static_cast<uint64_t>(bounds[2])));
    const auto extent = static_cast<int64_t>(values.size());
    node.Bind(0, node.builder().Constant(dtype, {extent}, values));
    return absl::OkStatus();
  }
  std::vector<double> bounds;
  for (size_t i = 0; i < 3; ++i) {
    TENON_ASSIGN_OR(const std::vector<double> bound, node.RealsOf(i, "bounds"));
    if (bound.size() != 1) return node.Wrong("expected bounds of one element");
    bounds.push_back(bound[0]);
  }
  const double count = std::ceil((bounds[1] - bounds[0]) / bounds[2]);
  if (!(count <= kMostSteps)) return count_error(count);
  std::vector<double> values;
  const bool is_single = dtype == DataType::Float(32);
  for (int64_t i = 0; static_cast<double>(i) < count; ++i) {
    // The standard's reference adds the product in the type of the bounds.
    const double product = is_single ? static_cast<float>(static_cast<double>(i) * bounds[2])
                                     : static_cast<double>(i) * bounds[2];
    values.push_back(bounds[0] + product);
  }
  const auto extent = static_cast<int64_t>(values.size());
  node.Bind(0, node.Constant(dtype, {extent}, values));
  return absl::OkStatus();
}

absl::Status ConvertShape(Node& node) {
  TENON_TRY(node.CheckInputs(1, 1));
  const std::vector<int64_t>& shape = node.in(0).shape;
  const int64_t rank = node.in(0).rank();
  const auto bound = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const int64_t start = bound(node.Int("start"));
  const int64_t end = node.Has("end") ? bound(node.Int("end")) : rank;
  std::vector<int64_t> values;
  for (int64_t i = start; i < end; ++i) values.push_back(shape[static_cast<size_t>(i)]);
  node.Bind(0, node.Integers(values));
  return absl::OkStatus();
}

absl::Status ConvertSize(Node& node) {
  TENON_TRY(node.CheckInputs(1, 1));
  const int64_t size = node.in(0).elements();
  node.Bind(0, node.builder().Constant(kInt64, {}, std::span<const int64_t>(&size, 1)));
  return absl::OkStatus();
}

absl::Status ConvertEyeLike(Node& node) {
  TENON_TRY(node.CheckInputs(1, 1));
  const graph::Tensor& x = node.in(0);
  const auto type = static_cast<int32_t>(node.Int("dtype"));
  const std::optional<DataType> dtype = node.Has("dtype") ? TypeOf(type) : x.dtype;
  if (!dtype) return node.Unsupported(fmt::format("the type {}", TypeName(type)));
  if (x.rank() != 2) return node.Wrong("expected an input of 2 dimensions, found " + x.TypeText());
  constexpr int64_t kMostEye = 1 << 20;
  if (x.elements() > kMostEye)
    return node.Unsupported(fmt::format("more than {} elements", kMostEye));
  std::vector<int64_t> shape = x.shape;
  std::vector<double> values;
  for (int64_t row = 0; row < shape[0]; ++row)
    for (int64_t column = 0; column < shape[1]; ++column)
      values.push_back(column == row + node.Int("k") ? 1 : 0);
  node.Bind(0, node.Constant(*dtype, std::move(shape), values));
  return absl::OkStatus();
}

absl::Status ConvertClipOfAttributes(Node& node) {
  TENON_TRY(node.CheckInputs(1, 1));
  const DataType dtype = node.in(0).dtype;
  const auto bound = [&](std::string_view name) {
    return node.Has(name) ? node.Scalar(dtype, node.Real(name)) : graph::kAbsent;
  };
  std::vector<int> inputs = {node.input(0), bound("min"), bound("max")};
  while (inputs.back() == graph::kAbsent) inputs.pop_back();
  return node.EmitOutput("clip", std::move(inputs), dtype);
}

// Without `fmod`, the rest has the sign of the divisor; fmod gives it the sign of the dividend.
absl::Status ConvertMod(Node& node) {
  TENON_TRY(node.CheckInputs(2, 2));
  const DataType dtype = node.in(0).dtype;
  if (!dtype.is_floating() || node.Int("fmod") != 0) return ConvertSame(node);
  graph::Attributes attributes;
  attributes.Set("fmod", int64_t{1});
  const int divisor = node.input(1);
  const int zero = node.Scalar(dtype, 0);
  const DataType boolean = DataType::Bool();
  TENON_ASSIGN_OR(const int rest,
                  node.Emit("mod", {node.input(0), divisor}, dtype, std::move(attributes)));
  TENON_ASSIGN_OR(const int below, node.Emit("less", {rest, zero}, boolean));
  TENON_ASSIGN_OR(const int divisor_below, node.Emit("less", {divisor, zero}, boolean));
  TENON_ASSIGN_OR(const int differ, node.Emit("xor", {below, divisor_below}, boolean));
  TENON_ASSIGN_OR(const int is_zero, node.Emit("equal", {rest, zero}, boolean));
  TENON_ASSIGN_OR(const int has_rest, node.Emit("not", {is_zero}, boolean));
  TENON_ASSIGN_OR(const int is_moved, node.Emit("and", {differ, has_rest}, boolean));
  TENON_ASSIGN_OR(const int moved, node.Emit("add", {rest, divisor}, dtype));
  return node.EmitOutput("where", {is_moved, moved, rest}, dtype);
}

absl::Status ConvertPadOfAttributes(Node& node) {
  TENON_TRY(node.CheckInputs(1, 1));
  const DataType dtype = node.in(0).dtype;
  return node.EmitOutput("pad", {node.input(0), node.Scalar(dtype, node.Real("value"))}, dtype,
                         node.attributes());
}

// Softmax and its like saw a matrix until version 12: the axes before `axis`, and the others.
absl::Status ConvertFlattened(Node& node) {
  TENON_TRY(node.CheckInputs(1, 1));
  graph::Attributes attributes = node.attributes();
  attributes.Set("flatten", int64_t{1});
  return node.EmitOutput(node.row().kind, node.Operands(), node.in(0).dtype, std::move(attributes));
}

absl::Status ConvertSpaceToDepth(Node& node) {
  if (node.Text("mode") != "DCR")
    return node.Unsupported(fmt::format("the mode `{}`", node.Text("mode")));
  return ConvertSame(node);
}

absl::Status ConvertReduction(Node& node) {
  if (!node.HasInput(0)) return node.Wrong("input 0 is missing");
  graph::Attributes attributes;
  attributes.Set("keepdims", node.Int("keepdims"));
  attributes.Set("noop_with_empty_axes", node.Int("noop_with_empty_axes"));
  // An empty list stands for all axes, as no list does.
  if (!node.Ints("axes").empty()) attributes.Set("axes", node.Ints("axes"));
  return node.EmitOutput(node.row().kind, node.Operands(), node.in(0).dtype, std::move(attributes));
}

absl::Status ConvertBatchNormalization(Node& node) {
  TENON_TRY(node.CheckInputs(5, 5));
  if (node.Has("spatial") && node.Int("spatial") == 0)
    return node.Unsupported("statistics for each element");
  const bool is_training = node.Has("is_test") && node.Int("is_test") == 0;
  if (is_training || node.Int("training_mode") != 0) return node.Unsupported("training");
  for (size_t i = 1; i < node.outputs(); ++i)
    if (node.HasOutput(i)) return node.Unsupported("outputs of training");
  graph::Attributes attributes;
  attributes.Set("epsilon", node.Real("epsilon"));
  return node.EmitOutput(node.row().kind, node.Operands(), node.in(0).dtype, std::move(attributes));
}

absl::Status ConvertDequantizeLinear(Node& node) {
  if (!node.HasInput(1)) return node.Wrong("input 1 is missing");
  const auto type = static_cast<int32_t>(node.Int("output_dtype"));
  const std::optional<DataType> dtype = type == 0 ? node.in(1).dtype : TypeOf(type);
  if (!dtype) return node.Unsupported(fmt::format("the type {}", TypeName(type)));
  return ConvertAll(node, *dtype);
}

absl::Status ConvertQuantizeLinear(Node& node) {
  const auto type = static_cast<int32_t>(node.Int("output_dtype"));
  std::optional<DataType> dtype = DataType::UInt(8);
  if (node.HasInput(2)) {
    dtype = node.in(2).dtype;
  } else if (type != 0) {
    dtype = TypeOf(type);
  }
  if (!dtype) return node.Unsupported(fmt::format("the type {}", TypeName(type)));
  const auto precision = static_cast<int32_t>(node.Int("precision"));
  if (precision != 0 && node.HasInput(1) && TypeOf(precision) != node.in(1).dtype)
    return node.Unsupported(fmt::format("the precision {}", TypeName(precision)));
  return ConvertAll(node, *dtype);
}

absl::Status ConvertDynamicQuantizeLinear(Node& node) {
  TENON_TRY(node.CheckInputs(1, 1));
  return ConvertTo(node, {DataType::UInt(8), DataType::Float(32), DataType::UInt(8)});
}

absl::Status ConvertQLinear(Node& node) {
  if (!node.HasInput(7)) return node.Wrong("input 7 is missing");
  return ConvertAll(node, node.in(7).dtype);
}

absl::Status ConvertSwiGlu(Node& node) {
  TENON_TRY(node.CheckInputs(2, 2));
  const DataType dtype = node.in(0).dtype;
  TENON_ASSIGN_OR(const int gate, node.Emit("swish", {node.input(0)}, dtype, node.attributes()));
  return node.EmitOutput("mul", {gate, node.input(1)}, dtype);
}

absl::Status ConvertMeanVarianceNormalization(Node& node) {
  TENON_TRY(node.CheckInputs(1, 1));
  const DataType dtype = node.in(0).dtype;
  const int x = node.input(0);
  graph::Attributes along;
  along.Set("axes", node.Has("axes") ? node.Ints("axes") : std::vector<int64_t>{0, 2, 3});
  TENON_ASSIGN_OR(const int mean, node.Emit("reduce_mean", {x}, dtype, along));
  TENON_ASSIGN_OR(const int centred, node.Emit("sub", {x, mean}, dtype));
  TENON_ASSIGN_OR(const int squares, node.Emit("mul", {centred, centred}, dtype));
  TENON_ASSIGN_OR(const int variance, node.Emit("reduce_mean", {squares}, dtype, along));
  TENON_ASSIGN_OR(const int deviation, node.Emit("sqrt", {variance}, dtype));
  constexpr double kEpsilon = 1e-9;
  TENON_ASSIGN_OR(const int divisor,
                  node.Emit("add", {deviation, node.Scalar(dtype, kEpsilon)}, dtype));
  return node.EmitOutput("div", {centred, divisor}, dtype);
}

// Until version 20, scale and bias had an element for each group.
absl::Status ConvertGroupNormalization18(Node& node) {
  TENON_TRY(node.CheckInputs(3, 3));
  const graph::Tensor x = node.in(0);
  const int64_t groups = node.Int("num_groups");
  if (x.rank() < 2 || groups < 1 || x.shape[1] % groups != 0)
    return node.Wrong(
        fmt::format("expected channels of {} groups, found {}", groups, x.TypeText()));
  const auto with_list = [&](std::string_view kind, int input, std::vector<int64_t> shape) {
    graph::Attributes attributes;
    attributes.Set("shape", std::move(shape));
    return node.Emit(kind, {input}, node.tensor(input).dtype, std::move(attributes));
  };
  std::vector<int> inputs = {node.input(0)};
  for (size_t i = 1; i < 3; ++i) {
    TENON_ASSIGN_OR(const int column, with_list("reshape", node.input(i), {groups, 1}));
    TENON_ASSIGN_OR(const int repeated, with_list("expand", column, {groups, x.shape[1] / groups}));
    TENON_ASSIGN_OR(const int channels, with_list("reshape", repeated, {x.shape[1]}));
    inputs.push_back(channels);
  }
  return node.EmitOutput(node.row().kind, std::move(inputs), x.dtype, node.attributes());
}

// The first axis of the second input stands at `axis`, or its last axis at the last.
absl::Status ConvertOldBroadcast(Node& node) {
  TENON_TRY(node.CheckInputs(2, 2));
  const graph::Tensor& a = node.in(0);
  const graph::Tensor& b = node.in(1);
  int second = node.input(1);
  if (node.Int("broadcast") == 0) {
    if (a.shape != b.shape)
      return node.Wrong("expected inputs of one shape without `broadcast`, found " + a.TypeText() +
                        " and " + b.TypeText());
  } else if (node.Has("axis")) {
    TENON_ASSIGN_OR(const int64_t axis,
                    node.Axis(node.Int("axis"), std::max<int64_t>(a.rank(), 1)));
    std::vector<int64_t> shape = b.shape;
    while (static_cast<int64_t>(shape.size()) + axis < a.rank()) shape.push_back(1);
    graph::Attributes attributes;
    attributes.Set("shape", std::move(shape));
    attributes.Set("allowzero", int64_t{1});
    TENON_ASSIGN_OR(second, node.Emit("reshape", {second}, b.dtype, std::move(attributes)));
  }
  const bool is_number = node.row().kind == "add" || node.row().kind == "sub" ||
                         node.row().kind == "mul" || node.row().kind == "div" ||
                         node.row().kind == "pow";
  return node.EmitOutput(node.row().kind, {node.input(0), second},
                         is_number ? node.in(0).dtype : DataType::Bool());
}

// A slope for each channel, which is axis 1.
absl::Status ConvertOldPRelu(Node& node) {
  TENON_TRY(node.CheckInputs(2, 2));
  const graph::Tensor& x = node.in(0);
  const graph::Tensor& slope = node.in(1);
  const DataType dtype = x.dtype;
  int second = node.input(1);
  if (slope.elements() > 1 && slope.rank() == 1 && x.rank() > 2) {
    std::vector<int64_t> shape = slope.shape;
    while (static_cast<int64_t>(shape.size()) + 1 < x.rank()) shape.push_back(1);
    graph::Attributes attributes;
    attributes.Set("shape", std::move(shape));
    TENON_ASSIGN_OR(second, node.Emit("reshape", {second}, dtype, std::move(attributes)));
  }
  return node.EmitOutput("prelu", {node.input(0), second}, dtype);
}

// Until version 10, coordinates were multiplied by the scale, and rounded down.
absl::Status ConvertResize10(Node& node) {
  if (!node.HasInput(0)) return node.Wrong("input 0 is missing");
  graph::Attributes attributes;
  attributes.Set("mode",
                 std::string(node.Text("mode") == "bilinear" ? "linear" : node.Text("mode")));
  attributes.Set("coordinate_transformation_mode", "asymmetric");
  attributes.Set("nearest_mode", "floor");
  attributes.Set("scales", node.Reals("scales"));
  return node.EmitOutput("resize", node.Operands(), node.in(0).dtype, std::move(attributes));
}

absl::Status ConvertGridSample16(Node& node) {
  if (!node.HasInput(0)) return node.Wrong("input 0 is missing");
  const std::string mode(node.Text("mode"));
  graph::Attributes attributes;
  attributes.Set("mode", mode == "bilinear" ? "linear" : mode == "bicubic" ? "cubic" : mode);
  attributes.Set("padding_mode", std::string(node.Text("padding_mode")));
  attributes.Set("align_corners", node.Int("align_corners"));
  return node.EmitOutput("grid_sample", node.Operands(), node.in(0).dtype, std::move(attributes));
}

absl::Status ConvertRecurrent(Node& node) { return ConvertSame(node); }

}  // namespace tenon::onnx
