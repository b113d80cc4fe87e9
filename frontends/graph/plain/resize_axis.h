#ifndef TENON_FRONTENDS_GRAPH_PLAIN_RESIZE_AXIS_H_
#define TENON_FRONTENDS_GRAPH_PLAIN_RESIZE_AXIS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/operator_code.h"

namespace tenon::graph::plain {

/// One axis of Resize.
struct ResizeAxis {
  int64_t input = 1;
  int64_t output = 1;
  /// Elements of the output for each element of the input.
  double scale = 1;
  /// The part of the axis that is resized, for `tf_crop_and_resize`: from 0 to 1.
  double begin = 0;
  double end = 1;
};

/// The axes of input 0, by `scales` or `sizes`, `axes`, `roi` and `keep_aspect_ratio_policy`.
absl::StatusOr<std::vector<ResizeAxis>> ResizeAxesOf(const OperatorView& op);

/// For each element of the output along an axis: elements of the input, with weights.
struct AxisTaps {
  /// Elements are those of the input, in order; nothing else is set.
  bool is_identity = false;
  int64_t taps = 1;
  std::vector<int32_t> places;
  std::vector<double> weights;
  /// 1 if the element is not in the input, and has the extrapolation value.
  std::vector<int32_t> outside;
};

/// By `mode`, `coordinate_transformation_mode`, `nearest_mode`, `cubic_coeff_a`, `exclude_outside`
/// and `antialias`.
absl::StatusOr<AxisTaps> TapsOf(const OperatorView& op, const ResizeAxis& axis);

/// A constant of float32 or float64.
Array RealConstant(Code& code, std::string_view name, DataType dtype,
                   std::span<const double> values);

}  // namespace tenon::graph::plain

#endif  // TENON_FRONTENDS_GRAPH_PLAIN_RESIZE_AXIS_H_
