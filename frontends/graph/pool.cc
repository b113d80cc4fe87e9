#include "frontends/graph/pool.h"

#include "frontends/graph/elementwise.h"

namespace tenon::graph {

absl::StatusOr<Pool> PoolOf(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, 1); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  const absl::StatusOr<Window> window = WindowOf(code, x, output, code.attributes().Int("filter_h"),
                                                 code.attributes().Int("filter_w"));
  if (!window.ok()) return window.status();
  Pool pool{.window = *window, .is_float = x.dtype == DataType::Float(32), .interval = {}};
  if (x.dtype != output.dtype || (!pool.is_float && !HasScale(x))) return UnsupportedScales(code);
  if (x.shape[0] != output.shape[0] || x.shape[3] != output.shape[3])
    return code.Wrong("expected as many batches and channels in the output as in the input");
  if (pool.is_float) return pool;
  const absl::StatusOr<Interval> interval = ActivationInterval(code, output);
  if (!interval.ok()) return interval.status();
  pool.interval = *interval;
  return pool;
}

}  // namespace tenon::graph
