// Operators that move elements: parts of tensors, tensors side by side, other orders and copies.

#include "frontends/graph/movement.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontends/graph/operators.h"
#include "support/status_macros.h"

namespace tenon::graph {

namespace {

absl::StatusOr<size_t> AxisAt(const OperatorView& op, int64_t number, int64_t rank) {
  const std::optional<size_t> axis = AxisOf(number, rank);
  if (axis) return *axis;
  return op.Wrong(fmt::format("expected an axis of {} dimensions, found {}", rank, number));
}

/// A shape that an input gives.
absl::StatusOr<Shapes> GivenShape(const OperatorView& op, size_t input) {
  TENON_TRY(op.CheckPresent(input + 1));
  TENON_ASSIGN_OR(TensorShape shape, KnownIntegers(op, input, "a shape that is"));
  return Shapes{std::move(shape)};
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfConcatenation(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(std::max<size_t>(op.inputs(), 1)));
  TensorShape shape = op.input(0).shape;
  TENON_ASSIGN_OR(const size_t axis, AxisAt(op, op.attributes().Int("axis"), op.input(0).rank()));
  for (size_t i = 1; i < op.inputs(); ++i) {
    TensorShape other = op.input(i).shape;
    if (other.size() != shape.size()) return op.Wrong("expected inputs of one rank");
    const int64_t total = shape[axis] + other[axis];
    other[axis] = shape[axis];
    if (other != shape) return op.Wrong("expected inputs that differ along the axis alone");
    shape[axis] = total;
  }
  return Shapes{std::move(shape)};
}

absl::StatusOr<Shapes> ShapeOfPack(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(std::max<size_t>(op.inputs(), 1)));
  TensorShape shape = op.input(0).shape;
  TENON_ASSIGN_OR(const size_t axis,
                  AxisAt(op, op.attributes().Int("axis"), op.input(0).rank() + 1));
  shape.insert(shape.begin() + static_cast<int64_t>(axis), static_cast<int64_t>(op.inputs()));
  return Shapes{std::move(shape)};
}

absl::StatusOr<Shapes> ShapeOfUnpack(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(1));
  TensorShape shape = op.input(0).shape;
  TENON_ASSIGN_OR(const size_t axis, AxisAt(op, op.attributes().Int("axis"), op.input(0).rank()));
  shape.erase(shape.begin() + static_cast<int64_t>(axis));
  return Shapes(op.outputs(), shape);
}

// SPLIT has the axis first; SPLIT_V has the input, sizes of which one may be -1, and the axis.
absl::StatusOr<Shapes> ShapeOfSplit(const OperatorView& op) {
  const bool has_sizes = op.inputs() == 3;
  TENON_TRY(op.CheckPresent(has_sizes ? 3 : 2));
  const Tensor& x = op.input(has_sizes ? 0 : 1);
  TENON_ASSIGN_OR(const int64_t number, AxisNumber(op, has_sizes ? 2 : 0));
  TENON_ASSIGN_OR(const size_t axis, AxisAt(op, number, x.rank()));
  const auto outputs = static_cast<int64_t>(op.outputs());
  TensorShape sizes(op.outputs(), outputs == 0 ? 0 : x.shape[axis] / outputs);
  if (has_sizes) {
    TENON_ASSIGN_OR(sizes, KnownIntegers(op, 1, "sizes that are"));
  } else if (outputs == 0 || x.shape[axis] % outputs != 0) {
    return op.Wrong(fmt::format("expected an extent that {} outputs divide evenly, found {}",
                                outputs, x.shape[axis]));
  }
  if (sizes.size() != op.outputs()) return op.Wrong("expected a size for each output");
  int64_t rest = x.shape[axis];
  for (const int64_t size : sizes) rest -= IsExtent(size) ? size : 0;
  Shapes shapes;
  for (const int64_t size : sizes) {
    TensorShape& shape = shapes.emplace_back(x.shape);
    shape[axis] = size == -1 ? rest : size;
  }
  return shapes;
}

absl::StatusOr<Shapes> ShapeOfSlice(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(3));
  TENON_ASSIGN_OR(const TensorShape begins, KnownIntegers(op, 1, "bounds that are"));
  TENON_ASSIGN_OR(TensorShape sizes, KnownIntegers(op, 2, "bounds that are"));
  const Tensor& x = op.input(0);
  if (begins.size() != x.shape.size() || sizes.size() != x.shape.size())
    return op.Wrong("expected a begin and a size for each dimension of the input");
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    if (sizes[axis] == -1 && IsExtent(begins[axis])) sizes[axis] = x.shape[axis] - begins[axis];
  }
  return Shapes{std::move(sizes)};
}

absl::StatusOr<Shapes> ShapeOfTranspose(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  TENON_ASSIGN_OR(const TensorShape order, KnownIntegers(op, 1, "an order of axes that is"));
  const Tensor& x = op.input(0);
  if (order.size() != x.shape.size())
    return op.Wrong("expected an axis for each dimension of the input");
  TensorShape shape;
  for (const int64_t number : order) {
    TENON_ASSIGN_OR(const size_t axis, AxisAt(op, number, x.rank()));
    shape.push_back(x.shape[axis]);
  }
  return Shapes{std::move(shape)};
}

absl::StatusOr<Shapes> ShapeOfPad(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  TENON_ASSIGN_OR(const TensorShape pads, KnownIntegers(op, 1, "pads that are"));
  TensorShape shape = op.input(0).shape;
  if (pads.size() != 2 * shape.size())
    return op.Wrong("expected two pads for each dimension of the input");
  for (size_t i = 0; i < pads.size(); ++i) {
    if (!IsExtent(pads[i])) return op.Wrong("expected pads of 0 or more");
    shape[i / 2] += pads[i];
  }
  return Shapes{std::move(shape)};
}

absl::StatusOr<Shapes> ShapeOfTile(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  TENON_ASSIGN_OR(const TensorShape times, KnownIntegers(op, 1, "numbers of copies that are"));
  TensorShape shape = op.input(0).shape;
  if (times.size() != shape.size())
    return op.Wrong("expected a number of copies for each dimension of the input");
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (!IsExtent(times[axis])) return op.Wrong("expected numbers of copies of 0 or more");
    shape[axis] *= times[axis];
  }
  return Shapes{std::move(shape)};
}

absl::StatusOr<Shapes> ShapeOfFill(const OperatorView& op) { return GivenShape(op, 0); }
absl::StatusOr<Shapes> ShapeOfBroadcastTo(const OperatorView& op) { return GivenShape(op, 1); }

absl::StatusOr<Shapes> ShapeOfGather(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  const Tensor& x = op.input(0);
  const Tensor& indices = op.input(1);
  TENON_ASSIGN_OR(const size_t axis, AxisAt(op, op.attributes().Int("axis"), x.rank()));
  int64_t batch = op.attributes().Int("batch_dims");
  if (batch < 0) batch += indices.rank();
  if (batch < 0 || batch > indices.rank() || batch > static_cast<int64_t>(axis))
    return op.Wrong("expected leading axes of both inputs");
  TensorShape shape(x.shape.begin(), x.shape.begin() + static_cast<int64_t>(axis));
  shape.insert(shape.end(), indices.shape.begin() + batch, indices.shape.end());
  shape.insert(shape.end(), x.shape.begin() + static_cast<int64_t>(axis) + 1, x.shape.end());
  return Shapes{std::move(shape)};
}

absl::StatusOr<Shapes> ShapeOfEmbeddingLookup(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  const Tensor& x = op.input(1);
  if (x.rank() == 0) return op.Wrong("expected an axis to look up");
  TensorShape shape = op.input(0).shape;
  shape.insert(shape.end(), x.shape.begin() + 1, x.shape.end());
  return Shapes{std::move(shape)};
}

absl::StatusOr<Shapes> ShapeOfGatherNd(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  const Tensor& x = op.input(0);
  const Tensor& rows = op.input(1);
  if (rows.rank() == 0 || rows.shape.back() > x.rank())
    return op.Wrong("expected rows of indices for axes of the first input");
  TensorShape shape(rows.shape.begin(), rows.shape.end() - 1);
  shape.insert(shape.end(), x.shape.begin() + rows.shape.back(), x.shape.end());
  return Shapes{std::move(shape)};
}

absl::StatusOr<Shapes> ShapeOfOneHot(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  TENON_ASSIGN_OR(const TensorShape depth, KnownIntegers(op, 1, "a depth that is"));
  if (depth.size() != 1) return op.Wrong("expected one number as the depth");
  TensorShape shape = op.input(0).shape;
  TENON_ASSIGN_OR(const size_t axis,
                  AxisAt(op, op.attributes().Int("axis", -1), op.input(0).rank() + 1));
  shape.insert(shape.begin() + static_cast<int64_t>(axis), depth[0]);
  return Shapes{std::move(shape)};
}

absl::StatusOr<Shapes> ShapeOfTopkV2(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  TENON_ASSIGN_OR(const TensorShape count, KnownIntegers(op, 1, "a number of elements that is"));
  TensorShape shape = op.input(0).shape;
  if (count.size() != 1 || shape.empty())
    return op.Wrong("expected one number of elements of the last axis");
  shape.back() = count[0];
  return Shapes(op.outputs(), shape);
}

absl::StatusOr<Shapes> ShapeOfShape(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(1));
  return Shapes{{op.input(0).rank()}};
}

absl::StatusOr<Shapes> ShapeOfScalar(const OperatorView&) { return Shapes{{}}; }

}  // namespace tenon::graph
