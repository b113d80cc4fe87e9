// Operators that move elements of any type: Transpose, Concat, Split, Slice, Expand, Tile,
// DepthToSpace, SpaceToDepth and ReverseSequence.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontends/graph/broadcast.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/sliding.h"
#include "frontends/graph/refusals.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

/// The axis of the input at each axis of the output; without `perm`, axes are reversed.
absl::StatusOr<std::vector<size_t>> OrderOf(const OperatorView& op) {
  const int64_t rank = op.input(0).rank();
  if (!op.attributes().Has("perm")) {
    std::vector<size_t> order;
    for (int64_t axis = rank; axis-- > 0;) order.push_back(static_cast<size_t>(axis));
    return order;
  }
  TENON_ASSIGN_OR(std::vector<size_t> order, DifferentAxes(op, op.attributes().Ints("perm"), rank));
  if (std::ssize(order) == rank) return order;
  return op.Wrong(fmt::format("expected {} axes in `perm`, found {}", rank, order.size()));
}

absl::StatusOr<size_t> AxisSetting(const OperatorView& op, int64_t otherwise) {
  return AxisIn(op, op.attributes().Int("axis", otherwise), op.input(0).rank());
}

/// The begin, the stride and the count of a slice, by the rules of NumPy.
SliceAxis SliceOf(int64_t extent, int64_t start, int64_t end, int64_t step) {
  const auto from_end = [&](int64_t number) { return number < 0 ? number + extent : number; };
  const int64_t least = step > 0 ? 0 : -1;
  const int64_t most = step > 0 ? extent : extent - 1;
  const int64_t begin = std::clamp(from_end(start), least, most);
  const int64_t limit = std::clamp(from_end(end), least, most);
  const int64_t length = step > 0 ? limit - begin : begin - limit;
  // The largest magnitude has no negative.
  const uint64_t stride =
      step > 0 ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
  const int64_t count =
      length <= 0 ? 0 : static_cast<int64_t>((static_cast<uint64_t>(length) - 1) / stride) + 1;
  return {begin, count <= 1 ? 1 : step, count};
}

absl::StatusOr<std::vector<SliceAxis>> SlicesOf(const OperatorView& op) {
  const Tensor& x = op.input(0);
  const std::vector<int64_t> starts = op.attributes().Ints("starts");
  const std::vector<int64_t> ends = op.attributes().Ints("ends");
  std::vector<int64_t> steps = op.attributes().Ints("steps");
  if (!op.attributes().Has("steps")) steps.assign(starts.size(), 1);
  TENON_ASSIGN_OR(const std::vector<size_t> axes, AxesIn(op, x.rank()));
  const bool has_axes = op.attributes().Has("axes");
  if (ends.size() != starts.size() || steps.size() != starts.size() ||
      (has_axes ? axes.size() != starts.size() : axes.size() < starts.size()))
    return op.Wrong(
        fmt::format("expected as many ends, steps and axes as starts, found {}, {} and "
                    "{} for {}",
                    ends.size(), steps.size(), axes.size(), starts.size()));
  std::vector<SliceAxis> slices = WholeSlice(x);
  for (size_t i = 0; i < starts.size(); ++i) {
    if (steps[i] == 0) return op.Wrong("expected steps other than 0, found 0");
    slices[axes[i]] = SliceOf(x.shape[axes[i]], starts[i], ends[i], steps[i]);
  }
  return slices;
}

/// The sizes of the outputs along the axis.
absl::StatusOr<std::vector<int64_t>> SizesOf(const OperatorView& op, int64_t extent) {
  const auto outputs = static_cast<int64_t>(op.outputs());
  std::vector<int64_t> sizes = op.attributes().Ints("split");
  if (!op.attributes().Has("split")) {
    const int64_t wanted = op.attributes().Int("num_outputs", outputs);
    if (wanted != outputs)
      return op.Wrong(fmt::format("expected {} outputs, found {}", wanted, outputs));
    const int64_t size = (extent + outputs - 1) / outputs;
    int64_t rest = extent;
    for (int64_t i = 0; i < outputs; ++i) {
      sizes.push_back(std::min(size, rest));
      rest -= sizes.back();
    }
    return sizes;
  }
  int64_t total = 0;
  for (const int64_t size : sizes) {
    if (!IsExtent(size))
      return op.Wrong(fmt::format("expected sizes of 0 or more, found {}", size));
    total += size;
  }
  if (sizes.size() != op.outputs() || total != extent)
    return op.Wrong(fmt::format("expected {} sizes with the sum {}, found {} with the sum {}",
                                outputs, extent, sizes.size(), total));
  return sizes;
}

/// The block of DepthToSpace and SpaceToDepth over an image [n, c, h, w].
absl::StatusOr<int64_t> BlockOf(const OperatorView& op) {
  const int64_t block = op.attributes().Int("blocksize");
  constexpr int64_t kMost = 1 << 10;
  if (op.input(0).rank() != 4)
    return op.Wrong("expected an input of 4 dimensions, found " + op.input(0).TypeText());
  if (block >= 1 && block <= kMost) return block;
  return op.Wrong(fmt::format("expected a `blocksize` of 1 to {}, found {}", kMost, block));
}

/// Whether the channels of a pixel of blocks have the block's places innermost (CRD), or outermost
/// (DCR).
absl::StatusOr<bool> HasDepthFirst(const OperatorView& op) {
  const std::string_view mode = op.attributes().Text("mode", "DCR");
  if (mode == "DCR" || mode == "CRD") return mode == "CRD";
  return op.Wrong(fmt::format("expected DCR or CRD in `mode`, found `{}`", mode));
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfTranspose(const OperatorView& op) {
  TENON_ASSIGN_OR(const std::vector<size_t> order, OrderOf(op));
  TensorShape shape;
  for (const size_t axis : order) shape.push_back(op.input(0).shape[axis]);
  return Shapes{std::move(shape)};
}

absl::Status BuildTranspose(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kAnyType));
  TENON_ASSIGN_OR(std::vector<size_t> order, OrderOf(code));
  if (order.empty()) order.push_back(0);
  WriteTransposed(code, MemoryShape(code.input(0)), order);
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfConcat(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(op.inputs()));
  TENON_ASSIGN_OR(const size_t axis, AxisSetting(op, 0));
  TensorShape shape = op.input(0).shape;
  shape[axis] = 0;
  for (size_t i = 0; i < op.inputs(); ++i) {
    TensorShape other = op.input(i).shape;
    if (other.size() != shape.size())
      return op.Wrong(fmt::format("expected inputs of {} dimensions, found {}", shape.size(),
                                  op.input(i).TypeText()));
    const int64_t total = shape[axis] + other[axis];
    other[axis] = shape[axis];
    if (other != shape)
      return op.Wrong("expected inputs that differ along the axis alone, found " +
                      op.input(i).TypeText());
    shape[axis] = total;
  }
  return Shapes{std::move(shape)};
}

absl::Status BuildConcat(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kAnyType));
  TENON_ASSIGN_OR(const size_t axis, AxisSetting(code, 0));
  const Array to = code.Out();
  int64_t begin = 0;
  for (size_t i = 0; i < code.inputs(); ++i) {
    const Tensor& x = code.input(i);
    if (x.elements() == 0) continue;
    const Array from = code.In(i);
    code.Grid("i", x.shape, [&](const std::vector<Value>& at) {
      std::vector<Value> place = at;
      place[axis] = at[axis] + begin;
      code.Store(to, place, from.Load(at));
    });
    begin += x.shape[axis];
  }
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfSplit(const OperatorView& op) {
  TENON_ASSIGN_OR(const size_t axis, AxisSetting(op, 0));
  TENON_ASSIGN_OR(const std::vector<int64_t> sizes, SizesOf(op, op.input(0).shape[axis]));
  Shapes shapes;
  for (const int64_t size : sizes) {
    TensorShape& shape = shapes.emplace_back(op.input(0).shape);
    shape[axis] = size;
  }
  return shapes;
}

absl::Status BuildSplit(OperatorCode& code) {
  TENON_TRY(CheckInput(code, 0, kAnyType));
  TENON_ASSIGN_OR(const size_t axis, AxisSetting(code, 0));
  TENON_ASSIGN_OR(const std::vector<int64_t> sizes, SizesOf(code, code.input(0).shape[axis]));
  std::vector<SliceAxis> slices = WholeSlice(code.input(0));
  int64_t begin = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    slices[axis] = {begin, 1, sizes[i]};
    if (code.HasOutput(i)) TENON_TRY(WriteSlice(code, 0, i, slices));
    begin += sizes[i];
  }
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfSlice(const OperatorView& op) {
  TENON_ASSIGN_OR(const std::vector<SliceAxis> slices, SlicesOf(op));
  TensorShape shape;
  for (const SliceAxis& slice : slices) shape.push_back(slice.count);
  return Shapes{std::move(shape)};
}

absl::Status BuildSlice(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kAnyType));
  TENON_ASSIGN_OR(std::vector<SliceAxis> slices, SlicesOf(code));
  return WriteSlice(code, 0, 0, std::move(slices));
}

absl::StatusOr<Shapes> ShapeOfExpand(const OperatorView& op) {
  const TensorShape wanted = op.attributes().Ints("shape");
  for (const int64_t extent : wanted) {
    if (!IsExtent(extent))
      return op.Wrong(fmt::format("expected extents of 0 or more, found {}", extent));
  }
  TENON_ASSIGN_OR(TensorShape shape, BroadcastShape(op, {op.input(0).shape, wanted}));
  return Shapes{std::move(shape)};
}

absl::Status BuildExpand(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kAnyType));
  WriteElements(code, 0,
                [&](const std::vector<Value>& at) { return BroadcastElement(code, 0, at); });
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfTile(const OperatorView& op) {
  TensorShape shape = op.input(0).shape;
  const std::vector<int64_t> times = op.attributes().Ints("repeats");
  if (times.size() != shape.size())
    return op.Wrong(
        fmt::format("expected {} numbers of copies, found {}", shape.size(), times.size()));
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (!IsExtent(times[axis]))
      return op.Wrong(
          fmt::format("expected numbers of copies of 0 or more, found {}", times[axis]));
    shape[axis] *= times[axis];
  }
  return Shapes{std::move(shape)};
}

absl::Status BuildTile(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kAnyType));
  const Array from = code.In(0);
  const std::vector<int64_t> shape = MemoryShape(code.input(0));
  const std::vector<int64_t> all = MemoryShape(code.output());
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    std::vector<Value> own;
    for (size_t axis = 0; axis < at.size(); ++axis)
      own.push_back(all[axis] == shape[axis] ? at[axis] : FloorMod(at[axis], shape[axis]));
    return from.Load(own);
  });
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfDepthToSpace(const OperatorView& op) {
  TENON_ASSIGN_OR(const int64_t block, BlockOf(op));
  TENON_ASSIGN_OR(ImageShape image, ImageOf(op));
  if (image.channels % (block * block) != 0)
    return op.Wrong(
        fmt::format("expected channels that {} divides, found {}", block * block, image.channels));
  image.channels /= block * block;
  for (int64_t& extent : image.extents) extent *= block;
  return Shapes{image.Shape()};
}

absl::Status BuildDepthToSpace(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kAnyType));
  TENON_ASSIGN_OR(const int64_t block, BlockOf(code));
  TENON_ASSIGN_OR(const ImageShape image, ImageOf(code));
  TENON_ASSIGN_OR(const bool depth_first, HasDepthFirst(code));
  const int64_t channels = image.channels / (block * block);
  std::vector<int64_t> seen = {image.batches};
  std::vector<int64_t> parts = {channels, block, block};
  if (!depth_first) std::rotate(parts.begin(), parts.begin() + 1, parts.end());
  seen.insert(seen.end(), image.extents.begin(), image.extents.end());
  seen.insert(image.channels_last ? seen.end() : seen.begin() + 1, parts.begin(), parts.end());
  // The places of rows, columns, channels, and both axes of a block.
  const size_t rows = image.channels_last ? 1 : 4;
  const size_t first = image.channels_last ? 3 : 1;
  const size_t channel = depth_first ? first : first + 2;
  const size_t block_rows = depth_first ? first + 1 : first;
  std::vector<size_t> order = {0, rows, block_rows, rows + 1, block_rows + 1};
  order.insert(image.channels_last ? order.end() : order.begin() + 1, channel);
  WriteTransposed(code, std::move(seen), order);
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfSpaceToDepth(const OperatorView& op) {
  TENON_ASSIGN_OR(const int64_t block, BlockOf(op));
  TENON_ASSIGN_OR(ImageShape image, ImageOf(op));
  for (int64_t& extent : image.extents) {
    if (extent % block != 0)
      return op.Wrong(fmt::format("expected rows and columns that {} divides, found {} and {}",
                                  block, image.extents[0], image.extents[1]));
  }
  for (int64_t& extent : image.extents) extent /= block;
  image.channels *= block * block;
  return Shapes{image.Shape()};
}

absl::Status BuildSpaceToDepth(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kAnyType));
  TENON_ASSIGN_OR(const int64_t block, BlockOf(code));
  TENON_ASSIGN_OR(const ImageShape image, ImageOf(code));
  TENON_ASSIGN_OR(const bool depth_first, HasDepthFirst(code));
  std::vector<int64_t> seen = {image.batches, image.extents[0] / block, block,
                               image.extents[1] / block, block};
  seen.insert(image.channels_last ? seen.end() : seen.begin() + 1, image.channels);
  const size_t rows = image.channels_last ? 1 : 2;
  std::vector<size_t> parts = {rows + 1, rows + 3};
  parts.insert(depth_first ? parts.begin() : parts.end(), image.channels_last ? 5 : 1);
  std::vector<size_t> order = {0, rows, rows + 2};
  order.insert(image.channels_last ? order.end() : order.begin() + 1, parts.begin(), parts.end());
  WriteTransposed(code, std::move(seen), order);
  return absl::OkStatus();
}

// The first elements of an axis in reverse order, as many as input 1 has for each batch.
absl::Status BuildReverseSequence(OperatorCode& code) {
  const Tensor& x = code.input(0);
  if (x.dtype != code.output().dtype || !IsOneOf(x.dtype, kAnyType) ||
      (code.input(1).dtype != kInt64 && code.input(1).dtype != kInt32))
    return UnsupportedTypes(code);
  TENON_ASSIGN_OR(const size_t batch,
                  AxisIn(code, code.attributes().Int("batch_axis", 1), x.rank()));
  TENON_ASSIGN_OR(const size_t time, AxisIn(code, code.attributes().Int("time_axis"), x.rank()));
  if (batch == time || code.input(1).shape != TensorShape{x.shape[batch]})
    return code.Wrong(fmt::format("expected {} lengths for another axis, found {}", x.shape[batch],
                                  code.input(1).TypeText()));
  const Array from = code.In(0);
  const Array lengths = code.In(1);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value length = Max(Min(lengths({at[batch]}), x.shape[time]), 0);
    const Value own = code.Once(Cast(kInt32, length));
    std::vector<Value> place = at;
    place[time] = Select(at[time] < own, own - at[time] - 1, at[time]);
    return from.Load(place);
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
