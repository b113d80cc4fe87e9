// STRIDED_SLICE: every n-th element between two bounds of each axis. Bits of the masks omit a
// bound, or remove an axis from the shape and take one of its elements.

#include <algorithm>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

namespace {

struct SliceAxis {
  int64_t begin = 0;
  int64_t stride = 1;
  int64_t count = 0;
};

/// The elements of an axis of `extent` elements.
SliceAxis SliceOf(const OperatorCode& code, size_t axis, int64_t extent, int64_t begin, int64_t end,
                  int64_t stride) {
  const auto has = [&](std::string_view mask) {
    return (code.attributes().Int(mask) >> axis & 1) != 0;
  };
  const int64_t first = stride > 0 ? 0 : extent - 1;
  const int64_t last = stride > 0 ? extent : -1;
  const auto bound = [&](int64_t at) {
    if (at < 0) at += extent;
    return stride > 0 ? std::clamp<int64_t>(at, 0, extent)
                      : std::clamp<int64_t>(at, -1, extent - 1);
  };
  if (has("shrink_axis_mask")) return {begin < 0 ? begin + extent : begin, 1, 1};
  SliceAxis slice{has("begin_mask") ? first : bound(begin), stride, 0};
  if (code.attributes().Int("offset") != 0) end += slice.begin;
  const int64_t stop = has("end_mask") ? last : bound(end);
  const int64_t length = stride > 0 ? stop - slice.begin : slice.begin - stop;
  const int64_t step = std::abs(stride);
  slice.count = length <= 0 ? 0 : (length + step - 1) / step;
  return slice;
}

}  // namespace

absl::Status BuildStridedSlice(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(4, 4); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  const auto begins = code.input(1).Integers();
  const auto ends = code.input(2).Integers();
  const auto strides = code.input(3).Integers();
  if (!begins || !ends || !strides) return code.Unsupported("bounds that are not constant");
  if (code.attributes().Int("ellipsis_mask") != 0 || code.attributes().Int("new_axis_mask") != 0)
    return code.Unsupported("an ellipsis or a new axis");
  const size_t given = begins->size();
  if (given > x.shape.size() || ends->size() != given || strides->size() != given ||
      x.dtype != output.dtype)
    return code.Wrong("expected bounds for axes of the input");
  std::vector<SliceAxis> axes;
  std::vector<int64_t> counts;
  int64_t elements = 1;
  for (size_t axis = 0; axis < x.shape.size(); ++axis) {
    SliceAxis slice{0, 1, x.shape[axis]};
    constexpr int64_t kMost = int64_t{1} << 31;
    if (axis < given) {
      const int64_t stride = (*strides)[axis];
      if (stride == 0 || stride < -kMost || stride > kMost)
        return code.Wrong("expected strides other than 0");
      slice = SliceOf(code, axis, x.shape[axis], (*begins)[axis], (*ends)[axis], stride);
    }
    if (slice.count > 0 && (slice.begin < 0 || slice.begin >= x.shape[axis]))
      return code.Wrong("expected bounds within the input");
    axes.push_back(slice);
    counts.push_back(slice.count);
    elements *= slice.count;
  }
  if (elements != output.elements())
    return code.Wrong("expected bounds that give the output's " + output.TypeText());
  const Array from = code.In(0);
  const Array to = code.Flat(code.Out(), counts);
  code.Grid("i", counts, [&](const std::vector<Value>& at) {
    std::vector<Value> own;
    for (size_t axis = 0; axis < at.size(); ++axis)
      own.push_back(at[axis] * axes[axis].stride + axes[axis].begin);
    code.Store(to, at, from.Load(own));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
