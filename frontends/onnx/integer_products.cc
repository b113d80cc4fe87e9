// onnxruntime computes products of quantised matrices in this order; another one would round
// differently.

#include "frontends/onnx/integer_products.h"

#include <utility>
#include <vector>

#include "frontends/graph/code.h"
#include "support/status_macros.h"

namespace tenon::onnx {

absl::StatusOr<int> IntegerProduct(Node& node, int a, int zero_a, int b, int zero_b) {
  std::vector<int> inputs = {a, b, zero_a, zero_b};
  while (inputs.back() == graph::kAbsent) inputs.pop_back();
  return node.Emit("matmul_integer", std::move(inputs), graph::kInt32);
}

absl::StatusOr<int> ScaledProduct(Node& node, int sum, int scale_a, int scale_b) {
  TENON_ASSIGN_OR(const int scale, node.Emit("mul", {scale_a, scale_b}, graph::kFloat32));
  TENON_ASSIGN_OR(const int steps, node.Emit("cast", {sum}, graph::kFloat32));
  return node.Emit("mul", {steps, scale}, graph::kFloat32);
}

absl::StatusOr<int> DynamicProduct(Node& node, int x, int weights, int zero_point, int scale) {
  const DataType types[] = {DataType::UInt(8), graph::kFloat32, DataType::UInt(8)};
  TENON_ASSIGN_OR(const std::vector<int> of_x,
                  node.Emit("dynamic_quantize_linear", {x}, types, {}));
  TENON_ASSIGN_OR(const int sum, IntegerProduct(node, of_x[0], of_x[2], weights, zero_point));
  return ScaledProduct(node, sum, of_x[1], scale);
}

}  // namespace tenon::onnx
