// TRANSPOSE: axes in another order.

#include <algorithm>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildTranspose(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  auto order = code.input(1).Integers();
  if (!order) return code.Unsupported("an order of axes that is not constant");
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
  const Array from = code.In(0);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    std::vector<Value> own(at.size());
    for (size_t axis = 0; axis < at.size(); ++axis)
      own[static_cast<size_t>((*order)[axis])] = at[axis];
    return from.Load(own);
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
