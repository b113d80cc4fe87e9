#include "frontends/graph/shapes.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/graph/refusals.h"

namespace tenon::graph {

absl::StatusOr<TensorShape> BroadcastShape(const OperatorView& op,
                                           const std::vector<TensorShape>& shapes) {
  size_t rank = 0;
  for (const TensorShape& shape : shapes) rank = std::max(rank, shape.size());
  TensorShape result(rank, 1);
  for (const TensorShape& shape : shapes) {
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      int64_t& extent = result[rank - shape.size() + axis];
      if (extent != 1 && shape[axis] != 1 && extent != shape[axis]) {
        return op.Wrong(
            fmt::format("expected inputs that can be repeated to one shape, found "
                        "extents of {} and {}",
                        extent, shape[axis]));
      }
      if (shape[axis] != 1) extent = shape[axis];
    }
  }
  return result;
}

absl::StatusOr<std::vector<int64_t>> KnownIntegers(const OperatorView& op, size_t input,
                                                   std::string_view what) {
  auto values = op.input(input).Integers();
  if (!values) return NotConstant(op, what, {input});
  return *std::move(values);
}

}  // namespace tenon::graph
