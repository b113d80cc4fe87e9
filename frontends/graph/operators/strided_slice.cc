// STRIDED_SLICE: every n-th element between two bounds of each axis. Bits of the masks omit a
// bound, remove an axis from the shape and take one of its elements, add an axis to the shape, or
// stand for all axes that the others leave.

#include <algorithm>

#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

namespace {

/// Whether a mask has the bit of an entry of the bounds.
bool HasBit(const OperatorCode& code, std::string_view mask, size_t entry) {
  return entry < 32 && (code.attributes().Int(mask) >> entry & 1) != 0;
}

/// The elements of an axis of `extent` elements, by entry `entry` of the bounds.
SliceAxis SliceOf(const OperatorCode& code, size_t entry, int64_t extent, int64_t begin,
                  int64_t end, int64_t stride) {
  const auto has = [&](std::string_view mask) { return HasBit(code, mask, entry); };
  const int64_t first = stride > 0 ? 0 : extent - 1;
  const int64_t last = stride > 0 ? extent : -1;
  const auto bound = [&](int64_t at) {
    if (at < 0) at += extent;
    return stride > 0 ? std::clamp<int64_t>(at, 0, extent)
                      : std::clamp<int64_t>(at, -1, extent - 1);
  };
  SliceAxis slice{has("begin_mask") ? first : bound(begin), stride, 0};
  if (has("shrink_axis_mask")) return {slice.begin, 1, 1};
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
  const auto begins = code.input(1).Integers();
  const auto ends = code.input(2).Integers();
  const auto strides = code.input(3).Integers();
  if (!begins || !ends || !strides) return code.Unsupported("bounds that are not constant");
  const size_t given = begins->size();
  if (ends->size() != given || strides->size() != given)
    return code.Wrong("expected as many ends and strides as begins");
  const auto is_rest = [&](size_t i) { return HasBit(code, "ellipsis_mask", i); };
  const auto is_new = [&](size_t i) { return !is_rest(i) && HasBit(code, "new_axis_mask", i); };
  size_t named = 0;
  for (size_t i = 0; i < given; ++i) named += is_rest(i) || is_new(i) ? 0 : 1;
  if (named > x.shape.size()) return code.Wrong("expected bounds for axes of the input");
  size_t rest = x.shape.size() - named;
  std::vector<SliceAxis> axes;
  const auto add_whole = [&] { axes.push_back({0, 1, x.shape[axes.size()]}); };
  for (size_t i = 0; i < given; ++i) {
    if (is_new(i)) continue;
    if (is_rest(i)) {
      for (; rest > 0; --rest) add_whole();
      continue;
    }
    const int64_t stride = (*strides)[i];
    constexpr int64_t kMost = int64_t{1} << 31;
    if (stride == 0 || stride < -kMost || stride > kMost)
      return code.Wrong("expected strides other than 0");
    axes.push_back(SliceOf(code, i, x.shape[axes.size()], (*begins)[i], (*ends)[i], stride));
  }
  while (axes.size() < x.shape.size()) add_whole();
  return WriteSlice(code, 0, 0, axes);
}

}  // namespace tenon::graph
