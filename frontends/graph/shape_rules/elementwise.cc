// Operators whose outputs have the shape of their inputs.

#include "frontends/graph/operators.h"
#include "support/status_macros.h"

namespace tenon::graph {

absl::StatusOr<Shapes> ShapeOfFirst(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(1));
  return Shapes(op.outputs(), op.input(0).shape);
}

absl::StatusOr<Shapes> ShapeOfSecond(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  return Shapes{op.input(1).shape};
}

absl::StatusOr<Shapes> ShapeOfBroadcast(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(op.inputs()));
  std::vector<TensorShape> shapes;
  for (size_t i = 0; i < op.inputs(); ++i) shapes.push_back(op.input(i).shape);
  TENON_ASSIGN_OR(TensorShape shape, BroadcastShape(op, shapes));
  return Shapes{std::move(shape)};
}

}  // namespace tenon::graph
