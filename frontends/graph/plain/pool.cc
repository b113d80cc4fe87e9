// MaxPool, AveragePool and LpPool, and the same over all elements of a channel.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "frontends/graph/convolution.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "frontends/graph/plain/quantized_builders.h"
#include "frontends/graph/plain/sliding.h"
#include "ir/builtins.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

struct PoolShape {
  ImageShape image;
  SlidingWindow window;
};

bool IsGlobal(const OperatorView& op) { return op.op().kind.starts_with("global_"); }

absl::StatusOr<PoolShape> PoolShapeOf(const OperatorView& op) {
  PoolShape made;
  TENON_ASSIGN_OR(made.image, ImageOf(op));
  const std::vector<int64_t> kernel =
      IsGlobal(op) ? made.image.extents : op.attributes().Ints("kernel_shape");
  if (kernel.size() != made.image.extents.size())
    return op.Wrong(fmt::format("expected {} numbers in `kernel_shape`, found {}",
                                made.image.extents.size(), kernel.size()));
  TENON_ASSIGN_OR(made.window, SlidingWindowOf(op, made.image.extents, kernel));
  return made;
}

/// Writes each element of the output. `begin` writes statements before the places of a window,
/// `fold` brings an element at a place of the input into the result, and `end` gives the result.
struct PoolSteps {
  std::function<void()> begin;
  std::function<void(Value element, const std::vector<Value>& at)> fold;
  std::function<void(const std::vector<Value>& to, std::span<const Value> output)> end;
};

/// Steps that add up a term of each element of a window in `sum`, without their end.
PoolSteps SumSteps(OperatorCode& code, DataType dtype, Array& sum,
                   std::function<Value(Value element)> term) {
  PoolSteps steps;
  steps.begin = [&code, &sum, dtype] {
    sum = code.Scalar("sum", dtype);
    code.Set(sum, code.Number(dtype, 0));
  };
  steps.fold = [&code, &sum, dtype, term = std::move(term)](Value element,
                                                            const std::vector<Value>&) {
    code.Set(sum, code.Get(sum) + term(Cast(dtype, element)));
  };
  return steps;
}

/// Calls `body` for each element of the window of an element of the output.
void ForEachElement(OperatorCode& code, const PoolShape& pool, const std::vector<Value>& to,
                    const std::function<void(Value element, const std::vector<Value>& at)>& body) {
  const Array from = code.In(0);
  const bool last = pool.image.channels_last;
  const std::span<const Value> output(to.data() + (last ? 1 : 2), pool.window.extents.size());
  const Value channel = last ? to.back() : to[1];
  pool.window.window.ForEachPlace(code, output, [&](const WindowPlace& place) {
    const std::vector<Value> at = ImagePlace(last, to[0], channel, place.at);
    body(from.Load(at), at);
  });
}

void WritePool(OperatorCode& code, const PoolShape& pool, const PoolSteps& steps) {
  code.Grid("i", code.output().shape, [&](const std::vector<Value>& to) {
    steps.begin();
    ForEachElement(code, pool, to, steps.fold);
    const std::span<const Value> output(to.data() + (pool.image.channels_last ? 1 : 2),
                                        pool.window.extents.size());
    steps.end(to, output);
  });
}

/// The number of a window's places along an axis: of those in the input, or also of those in its
/// pads.
Value CountAlong(Code& code, const WindowAxis& axis, int64_t after, bool with_pads, Value output) {
  const Value first = output * axis.stride - axis.pad;
  const int64_t end = axis.input + (with_pads ? after : 0);
  const int64_t last =
      (axis.output - 1) * axis.stride + (axis.kernel - 1) * axis.dilation - axis.pad;
  Value count = code.Int(axis.kernel);
  if (last >= end) count = Min(FloorDiv(code.Int(end - 1) - first, axis.dilation) + 1, axis.kernel);
  if (with_pads || axis.pad == 0) return count;
  return count - FloorDiv(Max(code.Int(0) - first, 0) + (axis.dilation - 1), axis.dilation);
}

/// The number of a window's places along all axes.
Value CountOf(Code& code, const PoolShape& pool, bool with_pads, std::span<const Value> output) {
  Value count = code.Int(1);
  for (size_t axis = 0; axis < output.size(); ++axis)
    count = count * CountAlong(code, pool.window.window.axes[axis], pool.window.pads_after[axis],
                               with_pads, output[axis]);
  return count;
}

/// Whether all windows have places alone that count.
bool HasOneCount(const PoolShape& pool, bool with_pads) {
  for (size_t axis = 0; axis < pool.window.extents.size(); ++axis) {
    const WindowAxis& of = pool.window.window.axes[axis];
    const int64_t last = (of.output - 1) * of.stride + (of.kernel - 1) * of.dilation - of.pad;
    const int64_t end = of.input + (with_pads ? pool.window.pads_after[axis] : 0);
    if (last >= end || (!with_pads && of.pad != 0)) return false;
  }
  return true;
}

/// Whether the only window is the whole image. onnxruntime computes GlobalAveragePool then.
bool IsWhole(const PoolShape& pool) {
  const std::vector<WindowAxis>& axes = pool.window.window.axes;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    const bool has_pads = axes[axis].pad != 0 || pool.window.pads_after[axis] != 0;
    if (axes[axis].kernel != axes[axis].input || has_pads) return false;
  }
  return true;
}

absl::Status BuildQuantizedPool(OperatorCode& code) {
  TENON_ASSIGN_OR(const PoolShape pool, PoolShapeOf(code));
  const bool with_pads = code.attributes().Int("count_include_pad") != 0;
  int64_t most_count = 1;
  for (const WindowAxis& axis : pool.window.window.axes) most_count *= axis.kernel;
  TENON_ASSIGN_OR(
      const QuantizedMean mean,
      QuantizedMean::Make(code, most_count, HasOneCount(pool, with_pads), !IsWhole(pool)));
  const Array to = code.Out(0);
  Array sum;
  PoolSteps steps;
  steps.begin = [&] { sum = mean.NewSum(); };
  steps.fold = [&](Value element, const std::vector<Value>&) { mean.Add(sum, element); };
  steps.end = [&](const std::vector<Value>& at, std::span<const Value> output) {
    const Value count = CountOf(code, pool, with_pads, output);
    code.Store(to, at, mean.Result(sum, count));
    mean.AfterTies(
        sum, count,
        [&](const auto& add) {
          ForEachElement(code, pool, at, [&](Value element, const auto&) { add(element); });
        },
        [&](Value result) { code.Store(to, at, result); });
  };
  WritePool(code, pool, steps);
  return absl::OkStatus();
}

/// The number of an element of the input [batches, channels, extents...], or of the input with the
/// last axis first (`storage_order`).
Value NumberOf(ImageShape image, std::vector<Value> at, bool by_columns) {
  if (image.channels_last) std::rotate(at.begin() + 1, at.end() - 1, at.end());
  image.channels_last = false;
  const std::vector<int64_t> shape = image.Shape();
  Value number = at[0];
  const auto append = [&](size_t axis) { number = number * shape[axis] + at[axis]; };
  append(1);
  for (size_t i = 2; i < shape.size(); ++i) append(by_columns ? shape.size() + 1 - i : i);
  return number;
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfPool(const OperatorView& op) {
  TENON_ASSIGN_OR(PoolShape pool, PoolShapeOf(op));
  pool.image.extents = std::move(pool.window.extents);
  return Shapes(op.outputs(), pool.image.Shape());
}

absl::Status BuildMaxPool(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kNumbers));
  TENON_TRY(CheckOutput(code, kInt64, 1));
  TENON_ASSIGN_OR(const PoolShape pool, PoolShapeOf(code));
  const bool has_places = code.HasOutput(1);
  const bool by_columns = code.attributes().Int("storage_order") != 0;
  const DataType dtype = code.output().dtype;
  const Array to = code.Out(0);
  const Array to_place = has_places ? code.Out(1) : Array();
  Array most, place;
  PoolSteps steps;
  steps.begin = [&] {
    most = code.Scalar("most", dtype);
    code.Set(most, LeastOf(code, dtype));
    if (!has_places) return;
    place = code.Scalar("place", kInt32);
    code.Set(place, code.Int(-1));
  };
  steps.fold = [&](Value element, const std::vector<Value>& at) {
    // NaN changes no maximum.
    if (!has_places) return code.Set(most, Max(element, code.Get(most)));
    code.If(code.Get(place) < 0 || code.Get(most) < element, [&] {
      code.Set(most, element);
      code.Set(place, NumberOf(pool.image, at, by_columns));
    });
  };
  steps.end = [&](const std::vector<Value>& at, std::span<const Value>) {
    code.Store(to, at, code.Get(most));
    if (has_places) code.Store(to_place, at, Cast(kInt64, code.Get(place)));
  };
  WritePool(code, pool, steps);
  return absl::OkStatus();
}

absl::Status BuildAveragePool(OperatorCode& code) {
  if (IsQuantized(code)) return BuildQuantizedPool(code);
  TENON_TRY(CheckOneType(code, kFloats));
  TENON_ASSIGN_OR(const PoolShape pool, PoolShapeOf(code));
  const bool with_pads = code.attributes().Int("count_include_pad") != 0;
  const DataType dtype = WorkType(code.output().dtype);
  const Array to = code.Out(0);
  Array sum;
  PoolSteps steps = SumSteps(code, dtype, sum, [](Value x) { return x; });
  steps.end = [&](const std::vector<Value>& at, std::span<const Value> output) {
    const Value count = CountOf(code, pool, with_pads, output);
    code.Store(to, at, Cast(code.output().dtype, Div(code.Get(sum), Cast(dtype, count))));
  };
  WritePool(code, pool, steps);
  return absl::OkStatus();
}

// The p-th root of the sum of p-th powers.
absl::Status BuildLpPool(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kFloats));
  TENON_ASSIGN_OR(const PoolShape pool, PoolShapeOf(code));
  const auto power = static_cast<double>(code.attributes().Int("p", 2));
  if (power < 1) return code.Wrong(fmt::format("expected `p` of 1 or more, found {}", power));
  const DataType dtype = WorkType(code.output().dtype);
  const Array to = code.Out(0);
  Array sum;
  PoolSteps steps = SumSteps(code, dtype, sum, [&](Value x) {
    return power == 2 ? x * x
                      : CallOf(OpKind::kPow, CallOf(OpKind::kFabs, x), code.Number(dtype, power));
  });
  steps.end = [&](const std::vector<Value>& at, std::span<const Value>) {
    const Value total = code.Get(sum);
    const Value root = power == 2 ? CallOf(OpKind::kSqrt, total)
                                  : CallOf(OpKind::kPow, total, code.Number(dtype, 1 / power));
    code.Store(to, at, Cast(code.output().dtype, root));
  };
  WritePool(code, pool, steps);
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
