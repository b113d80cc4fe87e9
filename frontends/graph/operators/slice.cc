// SLICE: elements from a begin on along each axis. A size of -1 means the rest of the axis.

#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/refusals.h"

namespace tenon::graph {

absl::Status BuildSlice(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(3, 3); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const auto begins = code.input(1).Integers();
  const auto sizes = code.input(2).Integers();
  if (!begins || !sizes) return NotConstant(code, "bounds that are", {1, 2});
  if (begins->size() != x.shape.size() || sizes->size() != x.shape.size())
    return code.Wrong("expected a begin and a size for each dimension of the input");
  std::vector<SliceAxis> axes;
  for (size_t axis = 0; axis < x.shape.size(); ++axis) {
    const int64_t begin = (*begins)[axis];
    const int64_t size = (*sizes)[axis];
    const int64_t extent = x.shape[axis];
    if (begin < 0 || begin > extent || size < -1 || size > extent)
      return code.Wrong("expected bounds within the input's " + x.TypeText());
    axes.push_back({begin, 1, size == -1 ? extent - begin : size});
  }
  return WriteSlice(code, 0, 0, axes);
}

}  // namespace tenon::graph
