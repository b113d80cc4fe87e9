// AVERAGE_POOL_2D: the mean of the places of a window that are in the input.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/window.h"

namespace tenon::graph {

namespace {

/// How many places of the window along an axis are in the input.
Value CountOf(Code& code, const WindowAxis& axis, Value o) {
  const Value first = o * axis.stride - axis.pad;
  Value count = code.Int(axis.kernel);
  const int64_t last = (axis.output - 1) * axis.stride + axis.kernel - 1 - axis.pad;
  if (last >= axis.input) count = Min(code.Int(axis.input) - first, axis.kernel);
  return axis.pad > 0 ? count - Max(code.Int(0) - first, 0) : count;
}

}  // namespace

absl::Status BuildAveragePool2d(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, 1); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  const absl::StatusOr<Window> window = WindowOf(code, x, output, code.attributes().Int("filter_h"),
                                                 code.attributes().Int("filter_w"));
  if (!window.ok()) return window.status();
  const bool is_float = x.dtype == DataType::Float(32);
  if (x.dtype != output.dtype || (!is_float && !HasScale(x))) return UnsupportedTypes(code);
  if (x.shape[0] != output.shape[0] || x.shape[3] != output.shape[3])
    return code.Wrong("expected as many batches and channels in the output as in the input");
  const DataType dtype = is_float ? x.dtype : DataType::Int(32);
  const absl::StatusOr<Interval> interval =
      is_float ? absl::StatusOr<Interval>(Interval{}) : ActivationInterval(code, output);
  if (!interval.ok()) return interval.status();
  const absl::StatusOr<Value> probe = Activate(code, code.Number(dtype, 0));
  if (!probe.ok()) return probe.status();
  const Array from = code.In(0);
  const Array to = code.Out();
  code.Grid("i", output.shape, [&](const std::vector<Value>& at) {
    const Array sum = code.Scalar("sum", dtype);
    code.Set(sum, code.Number(dtype, 0));
    window->ForEachPlace(code, at[1], at[2], [&](const Window::Place& place) {
      const Value element = Cast(dtype, from({at[0], place.y, place.x, at[3]}));
      code.Set(sum, code.Get(sum) + element);
    });
    const Value count = CountOf(code, window->h, at[1]) * CountOf(code, window->w, at[2]);
    const Value total = code.Get(sum);
    if (is_float) return code.Store(to, at, *Activate(code, Div(total, Cast(dtype, count))));
    const Value half = Div(count, 2);
    // To the nearest integer, with ties away from zero.
    const Value mean = Div(
        x.dtype.is_int() ? Select(code.Int(0) < total, total + half, total - half) : total + half,
        count);
    code.Store(to, at, Cast(x.dtype, Max(Min(mean, interval->high), interval->low)));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
