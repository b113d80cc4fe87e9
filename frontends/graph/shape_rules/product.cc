// Operators that sum products of rows.

#include <fmt/format.h>

#include <utility>

#include "frontends/graph/operators.h"
#include "support/status_macros.h"

namespace tenon::graph {

absl::StatusOr<Shapes> ShapeOfFullyConnected(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  const Tensor& x = op.input(0);
  const Tensor& weights = op.input(1);
  if (weights.rank() != 2 || weights.shape[1] == 0)
    return op.Wrong("expected weights of 2 dimensions, found " + weights.TypeText());
  const int64_t depth = weights.shape[1];
  if (op.attributes().Int("keep_num_dims") == 0)
    return Shapes{{x.elements() / depth, weights.shape[0]}};
  if (x.rank() == 0 || x.shape.back() != depth)
    return op.Wrong(fmt::format("expected rows of {} elements, found {}", depth, x.TypeText()));
  TensorShape shape = x.shape;
  shape.back() = weights.shape[0];
  return Shapes{std::move(shape)};
}

absl::StatusOr<Shapes> ShapeOfBatchMatmul(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  TensorShape x = op.input(0).shape;
  TensorShape y = op.input(1).shape;
  if (x.size() < 2 || y.size() < 2) return op.Wrong("expected matrices");
  const int64_t rows = x[x.size() - (op.attributes().Int("adj_x") != 0 ? 1 : 2)];
  const int64_t columns = y[y.size() - (op.attributes().Int("adj_y") != 0 ? 2 : 1)];
  x.resize(x.size() - 2);
  y.resize(y.size() - 2);
  TENON_ASSIGN_OR(TensorShape shape, BroadcastShape(op, {x, y}));
  shape.push_back(rows);
  shape.push_back(columns);
  return Shapes{std::move(shape)};
}

// Filters are rows of the first weights, and units have `rank` filters each.
absl::StatusOr<Shapes> ShapeOfSvdf(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  const int64_t rank = op.attributes().Int("rank");
  if (op.input(0).rank() != 2 || op.input(1).rank() != 2 || rank < 1)
    return op.Wrong("expected an input and weights of 2 dimensions, and a rank of 1 or more");
  return Shapes{{op.input(0).shape[0], op.input(1).shape[0] / rank}};
}

// The units are the rows of the weights.
absl::StatusOr<Shapes> ShapeOfRnn(const OperatorView& op) {
  TENON_TRY(op.CheckPresent(2));
  TensorShape shape = op.input(0).shape;
  if (shape.empty() || op.input(1).rank() != 2) return op.Wrong("expected weights of 2 dimensions");
  shape.back() = op.input(1).shape[0];
  return Shapes{std::move(shape)};
}

// The weights of the last output [cells, outputs] are those of the output gate, input 8.
absl::StatusOr<Shapes> ShapeOfLstm(const OperatorView& op) {
  constexpr size_t kRecurrent = 8;
  if (!op.HasInput(0) || !op.HasInput(kRecurrent)) return op.Wrong("an input is missing");
  TensorShape shape = op.input(0).shape;
  if (shape.empty() || op.input(kRecurrent).rank() != 2)
    return op.Wrong("expected weights of 2 dimensions");
  shape.back() = op.input(kRecurrent).shape[1];
  return Shapes{std::move(shape)};
}

// The basic kernel has the last output [n, cells] as input 1, and writes what it works with as
// well.
absl::StatusOr<Shapes> ShapeOfAnyLstm(const OperatorView& op) {
  constexpr int64_t kBasic = 1;
  if (op.attributes().Int("kernel_type") != kBasic) return ShapeOfLstm(op);
  TENON_TRY(op.CheckPresent(2));
  const TensorShape& last = op.input(1).shape;
  if (op.input(0).rank() != 2 || last.size() != 2)
    return op.Wrong("expected inputs of 2 dimensions");
  return Shapes{last, last, {last[0], op.input(0).shape[1] + last[1]}, {last[0], 4 * last[1]}};
}

}  // namespace tenon::graph
