// MAX_POOL_2D: the largest element of a window's places that are in the input.

#include <limits>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"
#include "frontends/graph/window.h"

namespace tenon::graph {

absl::Status BuildMaxPool2d(OperatorCode& code) {
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
  const absl::StatusOr<Interval> interval =
      is_float ? absl::StatusOr<Interval>(Interval{}) : ActivationInterval(code, output);
  if (!interval.ok()) return interval.status();
  const absl::StatusOr<Value> probe = Activate(code, code.Number(x.dtype, 0));
  if (!probe.ok()) return probe.status();
  const Array from = code.In(0);
  const Array to = code.Out();
  const double least = is_float ? -double{std::numeric_limits<float>::max()}
                                : static_cast<double>(RangeOf(x.dtype).low);
  code.Grid("i", output.shape, [&](const std::vector<Value>& at) {
    const Array most = code.Scalar("most", x.dtype);
    code.Set(most, code.Number(x.dtype, least));
    window->ForEachPlace(code, at[1], at[2], [&](const Window::Place& place) {
      const Value element = from({at[0], place.y, place.x, at[3]});
      code.Set(most, Max(code.Get(most), element));
    });
    const Value result = code.Get(most);
    if (is_float) return code.Store(to, at, *Activate(code, result));
    const Interval range = RangeOf(x.dtype);
    Value clamped = result;
    if (interval->high < range.high) clamped = Min(clamped, interval->high);
    if (interval->low > range.low) clamped = Max(clamped, interval->low);
    code.Store(to, at, clamped);
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
