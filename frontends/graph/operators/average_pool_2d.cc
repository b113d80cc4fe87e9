// AVERAGE_POOL_2D: the mean of the places of a window that are in the input.

#include <optional>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/pool.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

namespace {

/// The number of places of the window along an axis that are in the input.
Value CountOf(Code& code, const WindowAxis& axis, Value o) {
  const Value first = o * axis.stride - axis.pad;
  Value count = code.Int(axis.kernel);
  const int64_t last = (axis.output - 1) * axis.stride + axis.kernel - 1 - axis.pad;
  if (last >= axis.input) count = Min(code.Int(axis.input) - first, axis.kernel);
  return axis.pad > 0 ? count - Max(code.Int(0) - first, 0) : count;
}

}  // namespace

absl::Status BuildAveragePool2d(OperatorCode& code) {
  const absl::StatusOr<Pool> pool = PoolOf(code);
  if (!pool.ok()) return pool.status();
  const Tensor& x = code.input(0);
  const DataType dtype = pool->is_float ? x.dtype : DataType::Int(32);
  const absl::StatusOr<Value> probe = Activate(code, code.Number(dtype, 0));
  if (!probe.ok()) return probe.status();
  const Array from = code.In(0);
  const Array to = code.Out();
  std::optional<OutputStep> step;
  if (!pool->is_float) step.emplace(code, code.output().quantization.zero_point(), pool->interval);
  code.Grid("i", code.output().shape, [&](const std::vector<Value>& at) {
    const Array sum = code.Scalar("sum", dtype);
    code.Set(sum, code.Number(dtype, 0));
    const Value output[] = {at[1], at[2]};
    pool->window.ForEachPlace(code, output, [&](const WindowPlace& place) {
      const Value element = Cast(dtype, from({at[0], place.at[0], place.at[1], at[3]}));
      code.Set(sum, code.Get(sum) + element);
    });
    const std::vector<WindowAxis>& axes = pool->window.axes;
    const Value count = CountOf(code, axes[0], at[1]) * CountOf(code, axes[1], at[2]);
    const Value total = code.Get(sum);
    if (pool->is_float) return code.Store(to, at, *Activate(code, Div(total, Cast(dtype, count))));
    const Value half = Div(count, 2);
    // To the nearest integer, with ties away from zero.
    const Value mean = Div(
        x.dtype.is_int() ? Select(code.Int(0) < total, total + half, total - half) : total + half,
        count);
    code.Store(to, at, step->Clamped(mean));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
