// LOG_SOFTMAX: x minus the logarithm of the sum of exp(x) along the last axis.

#include <limits>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "ir/builtins.h"

namespace tenon::graph {

absl::Status BuildLogSoftmax(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const Tensor& x = code.input(0);
  if (x.dtype != kFloat32 || code.output().dtype != kFloat32) return UnsupportedTypes(code);
  if (x.rank() < 1) return code.Wrong("expected an input with an axis");
  const int64_t depth = x.shape.back();
  const int64_t rows = depth == 0 ? 0 : x.elements() / depth;
  const Array from = code.Flat(code.In(0), {rows, depth});
  const Array to = code.Flat(code.Out(), {rows, depth});
  code.For("row", rows, [&](Value row) {
    const Array most = code.Scalar("most", x.dtype);
    const Array sum = code.Scalar("sum", x.dtype);
    code.Set(most, code.Number(x.dtype, -double{std::numeric_limits<float>::max()}));
    // NaN changes no maximum, and makes the sum NaN.
    code.For("c", depth, [&](Value c) { code.Set(most, Max(from({row, c}), code.Get(most))); });
    code.Set(sum, code.Number(x.dtype, 0));
    code.For("c", depth, [&](Value c) {
      code.Set(sum, code.Get(sum) + CallOf(OpKind::kExp, from({row, c}) - code.Get(most)));
    });
    const Value log = code.Once(CallOf(OpKind::kLog, code.Get(sum)));
    code.For("c", depth, [&](Value c) {
      code.Store(to, {row, c}, from({row, c}) - code.Get(most) - log);
    });
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
