// Operators that make one element of all elements along some axes.

#include "frontends/graph/reduction.h"

#include <vector>

#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"
#include "support/status_macros.h"

namespace tenon::graph {

namespace {

TensorShape WithoutAxes(const TensorShape& of, const std::vector<bool>& goes, bool keep) {
  TensorShape shape;
  for (size_t axis = 0; axis < of.size(); ++axis) {
    if (!goes[axis]) {
      shape.push_back(of[axis]);
    } else if (keep) {
      shape.push_back(1);
    }
  }
  return shape;
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfReduction(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  TENON_ASSIGN_OR(const std::vector<bool> goes, ReducedAxes(op));
  return Shapes{WithoutAxes(op.input(0).shape, goes, op.attributes().Int("keep_dims") != 0)};
}

absl::StatusOr<Shapes> ShapeOfArg(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  TENON_ASSIGN_OR(const int64_t number, AxisNumber(op, 1));
  const Tensor& x = op.input(0);
  const std::optional<size_t> axis = AxisOf(number, x.rank());
  if (!axis) return op.Wrong("expected an axis of the input");
  std::vector<bool> goes(x.shape.size(), false);
  goes[*axis] = true;
  return Shapes{WithoutAxes(x.shape, goes, false)};
}

}  // namespace tenon::graph
