#include "frontends/graph/plain/sliding.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/graph/shapes.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

/// A number for each axis: the attribute, or `otherwise` without it.
absl::StatusOr<std::vector<int64_t>> Numbers(const OperatorView& op, std::string_view name,
                                             size_t count, int64_t otherwise, int64_t least,
                                             int64_t most) {
  std::vector<int64_t> numbers = op.attributes().Ints(name);
  if (numbers.empty()) numbers.assign(count, otherwise);
  if (numbers.size() != count)
    return op.Wrong(
        fmt::format("expected {} numbers in `{}`, found {}", count, name, numbers.size()));
  for (const int64_t number : numbers) {
    if (number < least || number > most)
      return op.Wrong(
          fmt::format("expected numbers of {} to {} in `{}`, found {}", least, most, name, number));
  }
  return numbers;
}

enum class Padding : uint8_t { kGiven, kUpper, kLower, kNone };

absl::StatusOr<Padding> PaddingOf(const OperatorView& op) {
  const std::string_view text = op.attributes().Text("auto_pad", "NOTSET");
  if (text == "NOTSET" || text.empty()) return Padding::kGiven;
  if (text == "SAME_UPPER") return Padding::kUpper;
  if (text == "SAME_LOWER") return Padding::kLower;
  if (text == "VALID") return Padding::kNone;
  return op.Wrong(fmt::format(
      "expected NOTSET, SAME_UPPER, SAME_LOWER or VALID in `auto_pad`, found `{}`", text));
}

/// The settings that windows of both kinds have.
struct Settings {
  Padding padding = Padding::kGiven;
  std::vector<int64_t> strides, dilations, pads;
  /// The elements from the first to the last one that a kernel reads.
  std::vector<int64_t> reaches;
};

absl::StatusOr<Settings> SettingsOf(const OperatorView& op, std::span<const int64_t> kernel) {
  Settings made;
  const size_t axes = kernel.size();
  TENON_ASSIGN_OR(made.padding, PaddingOf(op));
  TENON_ASSIGN_OR(made.strides, Numbers(op, "strides", axes, 1, 1, kMostWindowSteps));
  TENON_ASSIGN_OR(made.dilations, Numbers(op, "dilations", axes, 1, 1, kMostWindowSteps));
  if (made.padding == Padding::kGiven) {
    TENON_ASSIGN_OR(made.pads, Numbers(op, "pads", 2 * axes, 0, 0, kMostWindowReach));
  } else {
    made.pads.assign(2 * axes, 0);
  }
  const std::vector<int64_t> named = op.attributes().Ints("kernel_shape");
  if (!named.empty() && !std::equal(named.begin(), named.end(), kernel.begin(), kernel.end()))
    return op.Wrong("expected a `kernel_shape` that is the weights' shape");
  for (size_t axis = 0; axis < axes; ++axis) {
    if (kernel[axis] < 1 || kernel[axis] > kMostWindowSteps)
      return op.Wrong(fmt::format("expected a kernel of 1 to {} elements along an axis, found {}",
                                  kMostWindowSteps, kernel[axis]));
    made.reaches.push_back((kernel[axis] - 1) * made.dilations[axis] + 1);
    if (made.reaches.back() > kMostWindowReach)
      return op.Wrong(fmt::format("expected a kernel over at most {} elements, found {}",
                                  kMostWindowReach, made.reaches.back()));
  }
  return made;
}

/// The pads before and after an axis whose total is known.
void Divide(Padding padding, int64_t total, int64_t& before, int64_t& after) {
  // Rounded down, also for a negative total.
  const int64_t half = total >> 1;
  before = padding == Padding::kUpper ? half : total - half;
  after = total - before;
}

}  // namespace

absl::StatusOr<SlidingWindow> SlidingWindowOf(const OperatorView& op,
                                              std::span<const int64_t> input,
                                              std::span<const int64_t> kernel) {
  TENON_ASSIGN_OR(Settings settings, SettingsOf(op, kernel));
  const bool is_same = settings.padding == Padding::kUpper || settings.padding == Padding::kLower;
  SlidingWindow made;
  for (size_t axis = 0; axis < input.size(); ++axis) {
    int64_t& before = settings.pads[axis];
    int64_t& after = settings.pads[axis + input.size()];
    const int64_t stride = settings.strides[axis];
    const int64_t reach = settings.reaches[axis];
    int64_t extent = (input[axis] + stride - 1) / stride;
    if (is_same) {
      const int64_t total = std::max<int64_t>(0, (extent - 1) * stride + reach - input[axis]);
      Divide(settings.padding, total, before, after);
    } else {
      const int64_t room = input[axis] + before + after - reach;
      if (room < 0)
        return op.Wrong(fmt::format("expected a kernel within {} padded elements, found {}",
                                    input[axis] + before + after, reach));
      extent = room / stride + 1;
      const bool has_rest = op.attributes().Int("ceil_mode") != 0 && room % stride != 0;
      if (has_rest && extent * stride < input[axis] + before) ++extent;
    }
    made.window.axes.push_back({.input = input[axis],
                                .output = extent,
                                .kernel = kernel[axis],
                                .stride = stride,
                                .dilation = settings.dilations[axis],
                                .pad = before});
    made.extents.push_back(extent);
    made.pads_after.push_back(after);
  }
  return made;
}

absl::StatusOr<SpreadWindow> SpreadWindowOf(const OperatorView& op, std::span<const int64_t> input,
                                            std::span<const int64_t> kernel) {
  const size_t axes = input.size();
  TENON_ASSIGN_OR(Settings settings, SettingsOf(op, kernel));
  TENON_ASSIGN_OR(const std::vector<int64_t> more,
                  Numbers(op, "output_padding", axes, 0, 0, kMostWindowSteps));
  TENON_ASSIGN_OR(std::vector<int64_t> wanted,
                  Numbers(op, "output_shape", axes, 0, 0, kMostExtent));
  const bool is_same = settings.padding == Padding::kUpper || settings.padding == Padding::kLower;
  const bool is_wanted = is_same || !op.attributes().Ints("output_shape").empty();
  SpreadWindow made;
  for (size_t axis = 0; axis < axes; ++axis) {
    int64_t& before = settings.pads[axis];
    int64_t& after = settings.pads[axis + axes];
    const int64_t stride = settings.strides[axis];
    const int64_t full = stride * (input[axis] - 1) + more[axis] + settings.reaches[axis];
    if (is_same && wanted[axis] == 0) wanted[axis] = input[axis] * stride;
    if (is_wanted) Divide(settings.padding, full - wanted[axis], before, after);
    const int64_t extent = full - before - after;
    if (extent < 0)
      return op.Wrong(
          fmt::format("expected pads within {} elements, found {}", full, before + after));
    made.window.axes.push_back({.input = input[axis],
                                .kernel = kernel[axis],
                                .stride = stride,
                                .dilation = settings.dilations[axis],
                                .pad = before});
    made.extents.push_back(extent);
  }
  return made;
}

std::vector<int64_t> ImageShape::Shape() const {
  std::vector<int64_t> shape = {batches};
  if (!channels_last) shape.push_back(channels);
  shape.insert(shape.end(), extents.begin(), extents.end());
  if (channels_last) shape.push_back(channels);
  return shape;
}

bool HasChannelsLast(const OperatorView& op) { return op.attributes().Text("layout") == "NHWC"; }

absl::StatusOr<ImageShape> ImageOf(const OperatorView& op) {
  const Tensor& x = op.input(0);
  const std::string_view layout = op.attributes().Text("layout", "NCHW");
  if (layout != "NCHW" && layout != "NHWC")
    return op.Wrong(fmt::format("expected the layout NCHW or NHWC, found `{}`", layout));
  constexpr int64_t kMostRank = 5;
  if (x.rank() < 3 || x.rank() > kMostRank)
    return op.Unsupported(
        fmt::format("an input of {} dimensions, where 3 to {} are supported", x.rank(), kMostRank));
  ImageShape image;
  image.channels_last = HasChannelsLast(op);
  image.batches = x.shape[0];
  image.channels = image.channels_last ? x.shape.back() : x.shape[1];
  const auto first = x.shape.begin() + (image.channels_last ? 1 : 2);
  image.extents.assign(first, first + x.rank() - 2);
  return image;
}

}  // namespace tenon::graph::plain
