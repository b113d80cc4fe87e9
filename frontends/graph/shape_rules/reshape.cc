// Operators that keep all elements in their order.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"
#include "support/status_macros.h"

namespace tenon::graph {

// The shape is that of the second input, if this has one dimension, or an attribute.
absl::StatusOr<Shapes> ShapeOfReshape(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(1));
  const Tensor& x = op.input(0);
  TensorShape shape = op.attributes().Ints("new_shape");
  if (op.HasInput(1) && op.input(1).rank() == 1) {
    TENON_ASSIGN_OR(shape, KnownIntegers(op, 1, "a shape that is"));
  } else if (!op.attributes().Has("new_shape")) {
    return op.Unsupported("a shape that is not given");
  } else if (shape == TensorShape{0}) {
    // Old files write a shape without dimensions so.
    shape.clear();
  }
  int64_t known = 1;
  int64_t* open = nullptr;
  for (int64_t& extent : shape) {
    if (extent == -1 && open == nullptr) {
      open = &extent;
      continue;
    }
    if (!IsExtent(extent)) return op.Wrong("expected extents of 0 or more, and at most one -1");
    if (__builtin_mul_overflow(known, extent, &known)) return op.Wrong("expected fewer elements");
  }
  if (open != nullptr) *open = known == 0 ? 0 : x.elements() / known;
  const int64_t elements = open == nullptr ? known : known * *open;
  if (elements != x.elements()) {
    return op.Wrong(
        fmt::format("expected a shape for the {} elements of {}", x.elements(), x.TypeText()));
  }
  return Shapes{std::move(shape)};
}

absl::StatusOr<Shapes> ShapeOfSqueeze(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(1));
  const Tensor& x = op.input(0);
  const std::vector<int64_t> named = op.attributes().Ints("axes");
  std::vector<bool> goes(x.shape.size(), false);
  for (size_t axis = 0; named.empty() && axis < goes.size(); ++axis)
    goes[axis] = x.shape[axis] == 1;
  for (const int64_t number : named) {
    const std::optional<size_t> axis = AxisOf(number, x.rank());
    if (!axis || x.shape[*axis] != 1)
      return op.Wrong("expected axes of one element in " + x.TypeText());
    goes[*axis] = true;
  }
  TensorShape shape;
  for (size_t axis = 0; axis < goes.size(); ++axis)
    if (!goes[axis]) shape.push_back(x.shape[axis]);
  return Shapes{std::move(shape)};
}

absl::StatusOr<Shapes> ShapeOfExpandDims(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  TENON_ASSIGN_OR(const int64_t number, AxisNumber(op, 1));
  const std::optional<size_t> axis = AxisOf(number, op.input(0).rank() + 1);
  if (!axis) return op.Wrong("expected an axis of the output");
  TensorShape shape = op.input(0).shape;
  shape.insert(shape.begin() + static_cast<int64_t>(*axis), 1);
  return Shapes{std::move(shape)};
}

}  // namespace tenon::graph
