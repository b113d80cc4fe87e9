// STRIDED_SLICE: every n-th element between two bounds of each axis. Bits of the masks omit a
// bound, remove an axis from the shape and take one of its elements, add an axis to the shape, or
// stand for all axes that the others leave.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"
#include "support/status_macros.h"

namespace tenon::graph {

namespace {

/// Whether a mask has the bit of an entry of the bounds.
bool HasBit(const OperatorView& op, std::string_view mask, size_t entry) {
  return entry < 32 && (op.attributes().Int(mask) >> entry & 1) != 0;
}

/// The elements of an axis of `extent` elements, by entry `entry` of the bounds. TensorFlow refuses
/// an axis that shrinks to an element that it lacks, or with a stride below 1; TensorFlow Lite
/// reads outside of the input there.
absl::StatusOr<SliceAxis> SliceOf(const OperatorView& op, size_t entry, int64_t extent,
                                  int64_t begin, int64_t end, int64_t stride) {
  const auto has = [&](std::string_view mask) { return HasBit(op, mask, entry); };
  const int64_t first = stride > 0 ? 0 : extent - 1;
  const int64_t last = stride > 0 ? extent : -1;
  const auto bound = [&](int64_t at) {
    if (at < 0) at += extent;
    return stride > 0 ? std::clamp<int64_t>(at, 0, extent)
                      : std::clamp<int64_t>(at, -1, extent - 1);
  };
  SliceAxis slice{has("begin_mask") ? first : bound(begin), stride, 0};
  if (has("shrink_axis_mask")) {
    if (stride < 0 || slice.begin >= extent) {
      return op.Wrong(
          fmt::format("expected element 0 to {} and a stride above 0 for an axis that shrinks, "
                      "found element {} "
                      "and stride {}",
                      extent - 1, begin, stride));
    }
    return SliceAxis{slice.begin, 1, 1};
  }
  if (op.attributes().Int("offset") != 0) end += slice.begin;
  const int64_t stop = has("end_mask") ? last : bound(end);
  const int64_t length = stride > 0 ? stop - slice.begin : slice.begin - stop;
  const int64_t step = std::abs(stride);
  slice.count = length <= 0 ? 0 : (length + step - 1) / step;
  return slice;
}

struct Slices {
  /// One for each axis of the input.
  std::vector<SliceAxis> axes;
  TensorShape shape;
};

/// The bounds that the inputs have.
struct Bounds {
  std::vector<int64_t> begins, ends, strides;
};

absl::StatusOr<Bounds> BoundsOf(const OperatorView& op) {
  TENON_TRY(op.CheckCounts(4, 4));
  Bounds bounds;
  TENON_ASSIGN_OR(bounds.begins, KnownIntegers(op, 1, "bounds that are"));
  TENON_ASSIGN_OR(bounds.ends, KnownIntegers(op, 2, "bounds that are"));
  TENON_ASSIGN_OR(bounds.strides, KnownIntegers(op, 3, "bounds that are"));
  if (bounds.ends.size() != bounds.begins.size() || bounds.strides.size() != bounds.begins.size())
    return op.Wrong("expected as many ends and strides as begins");
  constexpr int64_t kMost = int64_t{1} << 31;
  for (const int64_t stride : bounds.strides)
    if (stride == 0 || stride < -kMost || stride > kMost)
      return op.Wrong("expected strides other than 0");
  return bounds;
}

absl::StatusOr<Slices> SlicesOf(const OperatorView& op) {
  TENON_ASSIGN_OR(const Bounds bounds, BoundsOf(op));
  const Tensor& x = op.input(0);
  const size_t given = bounds.begins.size();
  const auto is_rest = [&](size_t i) { return HasBit(op, "ellipsis_mask", i); };
  const auto is_new = [&](size_t i) { return !is_rest(i) && HasBit(op, "new_axis_mask", i); };
  size_t named = 0;
  for (size_t i = 0; i < given; ++i) named += is_rest(i) || is_new(i) ? 0 : 1;
  if (named > x.shape.size()) return op.Wrong("expected bounds for axes of the input");
  size_t rest = x.shape.size() - named;
  Slices slices;
  std::vector<SliceAxis>& axes = slices.axes;
  const auto add_whole = [&] {
    axes.push_back({0, 1, x.shape[axes.size()]});
    slices.shape.push_back(axes.back().count);
  };
  for (size_t i = 0; i < given; ++i) {
    if (is_new(i)) {
      slices.shape.push_back(1);
    } else if (is_rest(i)) {
      for (; rest > 0; --rest) add_whole();
    } else {
      TENON_ASSIGN_OR(const SliceAxis axis, SliceOf(op, i, x.shape[axes.size()], bounds.begins[i],
                                                    bounds.ends[i], bounds.strides[i]));
      axes.push_back(axis);
      if (!HasBit(op, "shrink_axis_mask", i)) slices.shape.push_back(axes.back().count);
    }
  }
  while (axes.size() < x.shape.size()) add_whole();
  return slices;
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfStridedSlice(const OperatorView& op) {
  TENON_ASSIGN_OR(Slices slices, SlicesOf(op));
  return Shapes{std::move(slices.shape)};
}

absl::Status BuildStridedSlice(OperatorCode& code) {
  TENON_ASSIGN_OR(Slices slices, SlicesOf(code));
  return WriteSlice(code, 0, 0, std::move(slices.axes));
}

}  // namespace tenon::graph
