// CUMSUM: the sums of all elements up to each element of an axis. `exclusive` leaves the element
// itself out, and `reverse` begins at the last element.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"
#include "support/status_macros.h"

namespace tenon::graph {

absl::Status BuildCumsum(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  TENON_ASSIGN_OR(const int64_t number, AxisNumber(code, 1));
  const std::optional<size_t> axis = AxisOf(number, x.rank());
  if (!axis || x.shape != output.shape) return code.Wrong("expected an axis of input and output");
  if (x.dtype != output.dtype || (x.dtype != kFloat32 && x.dtype != kInt32 && x.dtype != kInt64))
    return UnsupportedTypes(code);
  const bool exclusive = code.attributes().Int("exclusive") != 0;
  const bool reverse = code.attributes().Int("reverse") != 0;
  const int64_t extent = x.shape[*axis];
  std::vector<int64_t> others = x.shape;
  others[*axis] = 1;
  const Array from = code.In(0);
  const Array to = code.Out();
  code.Grid("i", others, [&](const std::vector<Value>& at) {
    const Array sum = code.Scalar("sum", x.dtype);
    code.Set(sum, code.Number(x.dtype, 0));
    code.For("k", extent, [&](Value k) {
      std::vector<Value> own = at;
      own[*axis] = reverse ? code.Int(extent - 1) - k : k;
      if (exclusive) code.Store(to, own, code.Get(sum));
      code.Set(sum, code.Get(sum) + from.Load(own));
      if (!exclusive) code.Store(to, own, code.Get(sum));
    });
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
