// Operators of com.microsoft on integers with scales. They become groups of DequantizeLinear, the
// operator of floats and QuantizeLinear, of which JoinQuantizedGroups makes operators on integers.

#include <utility>
#include <vector>

#include "frontends/graph/code.h"
#include "frontends/onnx/convert.h"
#include "frontends/onnx/integer_products.h"
#include "frontends/onnx/quantization.h"
#include "frontends/onnx/rows.h"
#include "support/status_macros.h"

namespace tenon::onnx {

namespace {

using graph::kFloat32;

/// The places of a tensor, its scale and its zero point among a node's inputs.
struct QuantizedInput {
  size_t tensor;
  size_t scale;
  size_t zero_point;
};

constexpr QuantizedInput At(size_t first) { return {first, first + 1, first + 2}; }

absl::Status CheckQuantized(const Node& node, std::initializer_list<QuantizedInput> inputs) {
  for (const QuantizedInput& input : inputs) {
    if (!node.HasInput(input.tensor) || !node.HasInput(input.scale))
      return node.Wrong("expected a tensor and its scale, found an absent input");
  }
  return absl::OkStatus();
}

absl::StatusOr<int> Dequantized(Node& node, int tensor, int scale, int zero_point, int64_t axis) {
  std::vector<int> inputs = {tensor, scale};
  if (zero_point != graph::kAbsent) inputs.push_back(zero_point);
  graph::Attributes attributes;
  attributes.Set("axis", axis);
  return node.Emit("dequantize_linear", std::move(inputs), kFloat32, std::move(attributes));
}

absl::StatusOr<int> Dequantized(Node& node, QuantizedInput input, int64_t axis = 0) {
  return Dequantized(node, node.input(input.tensor), node.input(input.scale),
                     node.input(input.zero_point), axis);
}

/// Binds the node's output to the integers of a real tensor.
absl::Status BindQuantized(Node& node, int real, size_t scale, size_t zero_point, DataType dtype) {
  if (!node.HasInput(scale)) return node.Wrong("the scale of the output is missing");
  std::vector<int> inputs = {real, node.input(scale)};
  if (node.HasInput(zero_point)) {
    inputs.push_back(node.input(zero_point));
    dtype = node.in(zero_point).dtype;
  }
  return node.EmitOutput("quantize_linear", std::move(inputs), dtype);
}

/// A bias of int32 in steps of the product of two constant scales, as real numbers.
absl::StatusOr<int> DequantizedBias(Node& node, size_t bias, size_t scale, size_t weights_scale) {
  const auto a = FloatsIn(node.in(scale));
  const auto b = FloatsIn(node.in(weights_scale));
  if (!a || !b || a->size() != 1 || b->empty())
    return node.Unsupported("a bias with scales that are known only at run time");
  std::vector<double> products;
  for (const float of_weights : *b) products.push_back((*a)[0] * of_weights);
  std::vector<int64_t> shape;
  if (products.size() > 1) shape.push_back(std::ssize(products));
  const int steps = node.Constant(kFloat32, std::move(shape), products);
  return Dequantized(node, node.input(bias), steps, graph::kAbsent, 0);
}

bool IsKnown(const Node& node, std::initializer_list<size_t> inputs) {
  for (const size_t input : inputs)
    if (node.HasInput(input) && !node.in(input).data) return false;
  return true;
}

/// DequantizeLinear, an operator of one input, QuantizeLinear.
absl::Status ConvertOne(Node& node, std::string_view kind, graph::Attributes attributes) {
  TENON_TRY(CheckQuantized(node, {At(0)}));
  TENON_ASSIGN_OR(const int x, Dequantized(node, At(0)));
  TENON_ASSIGN_OR(const int real, node.Emit(kind, {x}, kFloat32, std::move(attributes)));
  return BindQuantized(node, real, 3, 4, node.in(0).dtype);
}

/// Binds the node's output to a real product, plus the bias if there is one.
absl::Status BindBiased(Node& node, int product, size_t bias) {
  if (node.HasInput(bias)) return node.EmitOutput("add", {product, node.input(bias)}, kFloat32);
  node.Bind(0, product);
  return absl::OkStatus();
}

/// The attributes of a pool or of a mean over images, whose channels may be last.
graph::Attributes ImageAttributes(const Node& node) {
  graph::Attributes attributes = node.attributes();
  if (node.Int("channels_last") != 0) attributes.Set("layout", "NHWC");
  return attributes;
}

}  // namespace

absl::Status ConvertQLinearConv(Node& node) {
  TENON_TRY(CheckQuantized(node, {At(0), At(3)}));
  // Scales that are known at run time only have an operator of their own.
  if (!IsKnown(node, {1, 2, 4, 5, 6, 7})) return ConvertQLinear(node);
  TENON_ASSIGN_OR(const int x, Dequantized(node, At(0)));
  TENON_ASSIGN_OR(const int weights, Dequantized(node, At(3)));
  std::vector<int> inputs = {x, weights};
  if (node.HasInput(8)) {
    TENON_ASSIGN_OR(const int bias, DequantizedBias(node, 8, 1, 4));
    inputs.push_back(bias);
  }
  TENON_ASSIGN_OR(const int real,
                  node.Emit("conv", std::move(inputs), kFloat32, node.attributes()));
  return BindQuantized(node, real, 6, 7, node.in(0).dtype);
}

absl::Status ConvertQLinearMatMul(Node& node) {
  TENON_TRY(CheckQuantized(node, {At(0), At(3)}));
  const bool is_known = IsKnown(node, {1, 2, 4, 5, 6, 7});
  // A scale for each row of the first matrix, or for more than one matrix, also has its operator.
  const bool is_plain = node.in(1).elements() == 1 && node.in(4).rank() <= 1;
  if (!is_known || !is_plain) return ConvertQLinear(node);
  TENON_ASSIGN_OR(const int a, Dequantized(node, At(0)));
  TENON_ASSIGN_OR(const int b,
                  Dequantized(node, At(3), std::max<int64_t>(node.in(3).rank() - 1, 0)));
  TENON_ASSIGN_OR(const int real, node.Emit("matmul", {a, b}, kFloat32));
  return BindQuantized(node, real, 6, 7, node.in(0).dtype);
}

absl::Status ConvertQGemm(Node& node) {
  TENON_TRY(CheckQuantized(node, {At(0), At(3)}));
  TENON_ASSIGN_OR(const int a, Dequantized(node, At(0)));
  TENON_ASSIGN_OR(const int b, Dequantized(node, At(3), node.Int("transB") != 0 ? 0 : 1));
  std::vector<int> inputs = {a, b};
  if (node.HasInput(6)) {
    if (node.Real("alpha") != 1) return node.Unsupported("`alpha` other than 1 with a bias");
    TENON_ASSIGN_OR(const int bias, DequantizedBias(node, 6, 1, 4));
    inputs.push_back(bias);
  }
  if (!node.HasInput(7)) return node.EmitOutput("gemm", inputs, kFloat32, node.attributes());
  TENON_ASSIGN_OR(const int real, node.Emit("gemm", inputs, kFloat32, node.attributes()));
  return BindQuantized(node, real, 7, 8, node.in(0).dtype);
}

absl::Status ConvertQLinearPair(Node& node) {
  TENON_TRY(CheckQuantized(node, {At(0), At(3)}));
  TENON_ASSIGN_OR(const int a, Dequantized(node, At(0)));
  TENON_ASSIGN_OR(const int b, Dequantized(node, At(3)));
  TENON_ASSIGN_OR(const int real, node.Emit(node.row().kind, {a, b}, kFloat32));
  return BindQuantized(node, real, 6, 7, node.in(0).dtype);
}

// The scale and the zero point of the output come first, then those of each input after it.
absl::Status ConvertQLinearConcat(Node& node) {
  if (node.inputs() < 5 || node.inputs() % 3 != 2)
    return node.Wrong("expected a scale and a zero point for each input");
  std::vector<int> reals;
  for (size_t i = 2; i + 2 < node.inputs(); i += 3) {
    TENON_TRY(CheckQuantized(node, {At(i)}));
    TENON_ASSIGN_OR(const int real, Dequantized(node, At(i)));
    reals.push_back(real);
  }
  TENON_ASSIGN_OR(const int real,
                  node.Emit("concat", std::move(reals), kFloat32, node.attributes()));
  return BindQuantized(node, real, 0, 1, node.in(2).dtype);
}

absl::Status ConvertQLinearUnary(Node& node) {
  return ConvertOne(node, node.row().kind, node.attributes());
}

absl::Status ConvertQLinearPool(Node& node) {
  return ConvertOne(node, node.row().kind, ImageAttributes(node));
}

// `opset` is the version of the standard's Softmax.
absl::Status ConvertQLinearSoftmax(Node& node) {
  constexpr int64_t kFirstOfOneAxis = 13;
  const bool flatten = node.Int("opset") < kFirstOfOneAxis;
  graph::Attributes attributes;
  attributes.Set("axis", node.Has("axis") ? node.Int("axis") : int64_t{flatten ? 1 : -1});
  if (flatten) attributes.Set("flatten", int64_t{1});
  return ConvertOne(node, "softmax", std::move(attributes));
}

absl::Status ConvertMatMulIntegerToFloat(Node& node) {
  TENON_TRY(node.CheckInputs(4, 7));
  TENON_ASSIGN_OR(const int sum,
                  IntegerProduct(node, node.input(0), node.input(4), node.input(1), node.input(5)));
  TENON_ASSIGN_OR(const int real, ScaledProduct(node, sum, node.input(2), node.input(3)));
  return BindBiased(node, real, 6);
}

absl::Status ConvertDynamicQuantizeMatMul(Node& node) {
  TENON_TRY(node.CheckInputs(3, 5));
  TENON_ASSIGN_OR(const int real,
                  DynamicProduct(node, node.input(0), node.input(1), node.input(3), node.input(2)));
  return BindBiased(node, real, 4);
}

}  // namespace tenon::onnx
