// MAX_POOL_2D: the largest element of a window's places that are in the input.

#include <limits>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/pool.h"

namespace tenon::graph {

absl::Status BuildMaxPool2d(OperatorCode& code) {
  const absl::StatusOr<Pool> pool = PoolOf(code);
  if (!pool.ok()) return pool.status();
  const Tensor& x = code.input(0);
  const absl::StatusOr<Value> probe = Activate(code, code.Number(x.dtype, 0));
  if (!probe.ok()) return probe.status();
  const Array from = code.In(0);
  const Array to = code.Out();
  const double least = pool->is_float ? -double{std::numeric_limits<float>::max()}
                                      : static_cast<double>(RangeOf(x.dtype).low);
  code.Grid("i", code.output().shape, [&](const std::vector<Value>& at) {
    const Array most = code.Scalar("most", x.dtype);
    code.Set(most, code.Number(x.dtype, least));
    const Value output[] = {at[1], at[2]};
    pool->window.ForEachPlace(code, output, [&](const WindowPlace& place) {
      const Value element = from({at[0], place.at[0], place.at[1], at[3]});
      // NaN changes no maximum.
      code.Set(most, Max(element, code.Get(most)));
    });
    const Value result = code.Get(most);
    if (pool->is_float) return code.Store(to, at, *Activate(code, result));
    const Interval range = RangeOf(x.dtype);
    Value clamped = result;
    if (pool->interval.high < range.high) clamped = Min(clamped, pool->interval.high);
    if (pool->interval.low > range.low) clamped = Max(clamped, pool->interval.low);
    code.Store(to, at, clamped);
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
