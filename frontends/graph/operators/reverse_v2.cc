// REVERSE_V2: the elements of axes in reverse order.

#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/refusals.h"

namespace tenon::graph {

absl::Status BuildReverseV2(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const auto reversed = code.input(1).Integers();
  if (!reversed) return NotConstant(code, "axes that are", {1});
  if (x.shape != code.output().shape) return code.Wrong("expected an output of the input's shape");
  std::vector<SliceAxis> axes = WholeSlice(x);
  for (const int64_t number : *reversed) {
    const std::optional<size_t> axis = AxisOf(number, x.rank());
    if (!axis) return code.Wrong("expected axes of the input");
    axes[*axis] = {x.shape[*axis] - 1, -1, x.shape[*axis]};
  }
  return WriteSlice(code, 0, 0, axes);
}

}  // namespace tenon::graph
