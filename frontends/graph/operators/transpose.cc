// TRANSPOSE: axes in another order.

#include <algorithm>

#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/refusals.h"

namespace tenon::graph {

absl::Status BuildTranspose(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  auto order = code.input(1).Integers();
  if (!order) return NotConstant(code, "an order of axes that is", {1});
  if (static_cast<int64_t>(order->size()) != x.rank() || x.rank() != output.rank() ||
      x.dtype != output.dtype || x.rank() == 0)
    return code.Wrong("expected an axis for each dimension of the input");
  std::vector<int64_t> sorted;
  for (size_t axis = 0; axis < order->size(); ++axis) {
    int64_t& old = (*order)[axis];
    if (old < 0) old += x.rank();
    if (old < 0 || old >= x.rank() || x.shape[static_cast<size_t>(old)] != output.shape[axis])
      return code.Wrong("expected an order of axes that gives the output's shape");
    sorted.push_back(old);
  }
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return code.Wrong("expected each axis once");
  const std::vector<size_t> axes(order->begin(), order->end());
  WriteTransposed(code, x.shape, axes);
  return absl::OkStatus();
}

}  // namespace tenon::graph
