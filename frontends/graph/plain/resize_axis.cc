#include "frontends/graph/plain/resize_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>

#include "frontends/graph/plain/plain.h"
#include "support/little_endian.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

/// The most numbers of an axis' tables.
constexpr int64_t kMostTaps = int64_t{1} << 24;

/// The scale that all axes get, so that no extent exceeds its size, or that none is below it.
std::optional<double> CommonScale(std::string_view policy, const std::vector<double>& scales) {
  if (policy == "not_larger") return *std::min_element(scales.begin(), scales.end());
  if (policy == "not_smaller") return *std::max_element(scales.begin(), scales.end());
  return std::nullopt;
}

absl::Status SetSizes(const OperatorView& op, const std::vector<size_t>& axes,
                      std::vector<ResizeAxis>& resized) {
  const std::vector<int64_t> sizes = op.attributes().Ints("sizes");
  if (sizes.size() != axes.size())
    return op.Wrong(
        fmt::format("expected {} numbers in `sizes`, found {}", axes.size(), sizes.size()));
  std::vector<double> scales;
  for (size_t i = 0; i < axes.size(); ++i) {
    ResizeAxis& axis = resized[axes[i]];
    if (!IsExtent(sizes[i]) || axis.input == 0)
      return op.Wrong(fmt::format("expected sizes of 0 or more, found {} for {} elements", sizes[i],
                                  axis.input));
    axis.output = sizes[i];
    axis.scale = static_cast<double>(sizes[i]) / static_cast<double>(axis.input);
    scales.push_back(axis.scale);
  }
  const std::string_view policy = op.attributes().Text("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
    return op.Wrong(fmt::format(
        "expected stretch, not_larger or not_smaller in `keep_aspect_ratio_policy`, found `{}`",
        policy));
  if (scales.empty()) return absl::OkStatus();
  const std::optional<double> common = CommonScale(policy, scales);
  for (size_t i = 0; common && i < axes.size(); ++i) {
    ResizeAxis& axis = resized[axes[i]];
    axis.scale = *common;
    const double extent = std::floor(*common * static_cast<double>(axis.input) + 0.5);
    if (extent > static_cast<double>(kMostExtent))
      return op.Wrong(fmt::format("expected extents of at most {}, found {}", kMostExtent, extent));
    axis.output = static_cast<int64_t>(extent);
  }
  return absl::OkStatus();
}

absl::Status SetScales(const OperatorView& op, const std::vector<size_t>& axes,
                       std::vector<ResizeAxis>& resized) {
  const std::vector<double> scales = op.attributes().Reals("scales");
  if (scales.size() != axes.size())
    return op.Wrong(
        fmt::format("expected {} numbers in `scales`, found {}", axes.size(), scales.size()));
  for (size_t i = 0; i < axes.size(); ++i) {
    ResizeAxis& axis = resized[axes[i]];
    axis.scale = scales[i];
    // In float arithmetic, in which 10 * 0.7F has 7 elements.
    const float extent = std::floor(static_cast<float>(axis.input) * static_cast<float>(scales[i]));
    if (!(scales[i] > 0) || !(extent <= static_cast<float>(1 << 30)))
      return op.Wrong(
          fmt::format("expected scales above 0 with at most 2^30 elements, found {}", scales[i]));
    axis.output = static_cast<int64_t>(extent);
  }
  return absl::OkStatus();
}

/// The place in the input that an element of the output stands for. onnxruntime computes it in
/// float arithmetic, which decides where a place is next to a whole number.
absl::StatusOr<double> Coordinate(const OperatorView& op, std::string_view mode,
                                  const ResizeAxis& axis, int64_t o) {
  const auto x = static_cast<float>(o);
  const auto input = static_cast<float>(axis.input);
  const auto scale = static_cast<float>(axis.scale);
  const bool is_one = axis.output == 1;
  // The output's extent before it becomes a whole number.
  const float output = scale * input;
  const float half_pixel = (x + 0.5F) / scale - 0.5F;
  if (mode == "half_pixel") return half_pixel;
  if (mode == "asymmetric") return x / scale;
  if (mode == "pytorch_half_pixel") return is_one ? 0 : half_pixel;
  if (mode == "tf_half_pixel_for_nn") return (x + 0.5F) / scale;
  if (mode == "align_corners") return output <= 1 ? 0 : x * (input - 1) / (output - 1);
  if (mode == "half_pixel_symmetric")
    return input / 2 * (1 - static_cast<float>(axis.output) / output) + (x + 0.5F) / scale - 0.5F;
  if (mode == "tf_crop_and_resize") {
    const auto begin = static_cast<float>(axis.begin);
    const auto end = static_cast<float>(axis.end);
    if (is_one) return 0.5F * (begin + end) * (input - 1);
    return begin * (input - 1) +
           x * (end - begin) * (input - 1) / static_cast<float>(axis.output - 1);
  }
  return op.Wrong(
      fmt::format("expected a known `coordinate_transformation_mode`, found `{}`", mode));
}

absl::StatusOr<double> Nearest(const OperatorView& op, double x) {
  const std::string_view mode = op.attributes().Text("nearest_mode", "round_prefer_floor");
  if (mode == "round_prefer_floor") return std::ceil(x - 0.5);
  if (mode == "round_prefer_ceil") return std::floor(x + 0.5);
  if (mode == "floor") return std::floor(x);
  if (mode == "ceil") return std::ceil(x);
  return op.Wrong(fmt::format("expected a known `nearest_mode`, found `{}`", mode));
}

/// The weight of an element at a distance.
double Weight(bool is_cubic, double a, double distance) {
  const double x = std::abs(distance);
  if (!is_cubic) return std::max(0.0, 1 - x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// Appends the places and weights of the elements around `x`.
void AppendTaps(const OperatorView& op, const ResizeAxis& axis, bool is_cubic, double x,
                AxisTaps& made) {
  const bool antialias = op.attributes().Int("antialias") != 0;
  // A scale below 1 makes the filter wider.
  const double narrow = antialias ? std::min(1.0, axis.scale) : 1;
  const double a = op.attributes().Real("cubic_coeff_a", -0.75);
  const bool excludes = is_cubic && op.attributes().Int("exclude_outside") != 0;
  const auto first = static_cast<int64_t>(std::floor(x)) - made.taps / 2 + 1;
  std::vector<double> weights;
  double total = 0;
  for (int64_t i = first; i < first + made.taps; ++i) {
    const bool is_outside = i < 0 || i >= axis.input;
    double weight = Weight(is_cubic, a, (static_cast<double>(i) - x) * narrow);
    if (excludes && is_outside) weight = 0;
    weights.push_back(weight);
    total += weight;
    made.places.push_back(static_cast<int32_t>(std::clamp<int64_t>(i, 0, axis.input - 1)));
  }
  const bool normalizes = antialias || excludes;
  for (const double weight : weights) made.weights.push_back(normalizes ? weight / total : weight);
}

}  // namespace

absl::StatusOr<std::vector<ResizeAxis>> ResizeAxesOf(const OperatorView& op) {
  const Tensor& x = op.input(0);
  TENON_ASSIGN_OR(const std::vector<size_t> axes, AxesIn(op, x.rank()));
  std::vector<ResizeAxis> resized;
  for (const int64_t extent : x.shape) resized.push_back({.input = extent, .output = extent});
  const bool has_sizes = !op.attributes().Ints("sizes").empty();
  const bool has_scales = !op.attributes().Reals("scales").empty();
  if (has_sizes == has_scales && !axes.empty())
    return op.Wrong("expected either `scales` or `sizes`, found both or none");
  TENON_TRY(has_sizes ? SetSizes(op, axes, resized) : SetScales(op, axes, resized));
  const std::string_view mode = op.attributes().Text("coordinate_transformation_mode");
  if (mode != "tf_crop_and_resize") return resized;
  const std::vector<double> part = op.attributes().Reals("roi");
  if (part.size() != 2 * axes.size())
    return op.Wrong(
        fmt::format("expected {} numbers in `roi`, found {}", 2 * axes.size(), part.size()));
  for (size_t i = 0; i < axes.size(); ++i) {
    resized[axes[i]].begin = part[i];
    resized[axes[i]].end = part[i + axes.size()];
  }
  return resized;
}

absl::StatusOr<AxisTaps> TapsOf(const OperatorView& op, const ResizeAxis& axis) {
  AxisTaps made;
  const std::string_view mode = op.attributes().Text("mode", "nearest");
  const std::string_view coordinates =
      op.attributes().Text("coordinate_transformation_mode", "half_pixel");
  const bool is_nearest = mode == "nearest";
  const bool is_cubic = mode == "cubic";
  if (!is_nearest && !is_cubic && mode != "linear")
    return op.Wrong(fmt::format("expected nearest, linear or cubic in `mode`, found `{}`", mode));
  if (const auto probe = Coordinate(op, coordinates, axis, 0); !probe.ok()) return probe.status();
  const bool crops = coordinates == "tf_crop_and_resize";
  made.is_identity = axis.input == axis.output && axis.scale == 1 &&
                     coordinates != "tf_half_pixel_for_nn" &&
                     (!crops || (axis.begin == 0 && axis.end == 1));
  if (made.is_identity) return made;
  if (axis.input == 0) return op.Wrong("expected elements to resize, found none");
  if (!is_nearest) {
    const bool widens = op.attributes().Int("antialias") != 0 && axis.scale < 1;
    const double half = (is_cubic ? 2 : 1) / (widens ? axis.scale : 1);
    if (half > static_cast<double>(kMostTaps)) return op.Unsupported("a scale that is this small");
    made.taps = 2 * static_cast<int64_t>(std::ceil(half));
  }
  if (axis.output > kMostTaps / made.taps)
    return op.Unsupported(fmt::format("tables of {} rows along an axis", axis.output));
  for (int64_t o = 0; o < axis.output; ++o) {
    TENON_ASSIGN_OR(const double wanted, Coordinate(op, coordinates, axis, o));
    if (!std::isfinite(wanted)) return op.Wrong("expected a finite `roi`, found another one");
    const auto last = static_cast<double>(axis.input - 1);
    made.outside.push_back(crops && (wanted < 0 || wanted > last) ? 1 : 0);
    // The elements of both ends are repeated, so nothing depends on how far outside a place is.
    const double most = last + static_cast<double>(made.taps);
    const double x = std::clamp(wanted, -static_cast<double>(made.taps), most);
    if (is_nearest) {
      TENON_ASSIGN_OR(const double place, Nearest(op, x));
      made.places.push_back(static_cast<int32_t>(std::clamp(place, 0.0, last)));
    } else {
      AppendTaps(op, axis, is_cubic, x, made);
    }
  }
  return made;
}

Array RealConstant(Code& code, std::string_view name, DataType dtype,
                   std::span<const double> values) {
  std::string bytes;
  for (const double value : values) {
    if (dtype == kFloat64) {
      AppendLittleEndian(std::bit_cast<uint64_t>(value), &bytes);
    } else {
      AppendLittleEndian(std::bit_cast<uint32_t>(static_cast<float>(value)), &bytes);
    }
  }
  return code.Constant(name, dtype, {static_cast<int64_t>(values.size())},
                       {bytes.begin(), bytes.end()});
}

}  // namespace tenon::graph::plain
