#ifndef TENON_FRONTENDS_ONNX_INTEGER_PRODUCTS_H_
#define TENON_FRONTENDS_ONNX_INTEGER_PRODUCTS_H_

#include "absl/status/statusor.h"
#include "frontends/onnx/node.h"

// Products of quantised matrices as real numbers. Zero points are tensors, or absent.

namespace tenon::onnx {

/// The sums of products of integers, as int32.
absl::StatusOr<int> IntegerProduct(Node& node, int a, int zero_a, int b, int zero_b);

/// Sums of products times the product of both scales, as float32.
absl::StatusOr<int> ScaledProduct(Node& node, int sum, int scale_a, int scale_b);

/// The real product of a matrix of floats, which DynamicQuantizeLinear makes integers of, and
/// weights.
absl::StatusOr<int> DynamicProduct(Node& node, int x, int weights, int zero_point, int scale);

}  // namespace tenon::onnx

#endif  // TENON_FRONTENDS_ONNX_INTEGER_PRODUCTS_H_
