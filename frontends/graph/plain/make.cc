// Operators whose elements follow from their places: Trilu, OneHot, EyeLike, Range,
// ConstantOfShape, Shape and Size; and CumSum, CumProd and TopK.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

Value ZeroOf(Code& code, DataType dtype) {
  return dtype.is_bool() ? code.Bool(false) : code.Number(dtype, 0);
}

/// A diagonal's number, which sums of places and numbers of this size do not overflow.
int64_t DiagonalOf(const OperatorView& op) {
  return std::clamp(op.attributes().Int("k"), -kMostExtent / 2, kMostExtent / 2);
}

/// The extents before an axis, of the axis, and after it.
absl::StatusOr<std::vector<int64_t>> Around(const OperatorView& op, int64_t otherwise) {
  const Tensor& x = op.input(0);
  TENON_ASSIGN_OR(const size_t axis, AxisIn(op, op.attributes().Int("axis", otherwise), x.rank()));
  return std::vector<int64_t>{ExtentOf(x.shape, 0, axis), x.shape[axis],
                              ExtentOf(x.shape, axis + 1, x.shape.size())};
}

absl::StatusOr<int64_t> CountOfRange(const OperatorView& op) {
  const auto real = [&](std::string_view name) {
    return op.attributes().Real(name, static_cast<double>(op.attributes().Int(name)));
  };
  const double delta = real("delta");
  const double count = std::ceil((real("limit") - real("start")) / delta);
  if (delta == 0 || std::isnan(count)) return op.Wrong("expected a `delta` other than 0, found 0");
  if (count > static_cast<double>(kMostExtent))
    return op.Wrong(fmt::format("expected at most {} elements, found {}", kMostExtent, count));
  return count < 0 ? 0 : static_cast<int64_t>(count);
}

absl::StatusOr<size_t> OneHotAxis(const OperatorView& op) {
  return AxisIn(op, op.attributes().Int("axis", -1), op.input(0).rank() + 1);
}

}  // namespace

// The elements on one side of the diagonal `k`, which is included; others are 0.
absl::Status BuildTrilu(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kAnyType));
  if (code.input(0).rank() < 2)
    return code.Wrong("expected matrices, found " + code.input(0).TypeText());
  const bool is_upper = code.attributes().Int("upper", 1) != 0;
  const int64_t k = DiagonalOf(code);
  const Array from = code.In(0);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value row = at[at.size() - 2];
    const Value column = at.back();
    const Value keeps = is_upper ? row + k <= column : column <= row + k;
    return Select(keeps, from.Load(at), ZeroOf(code, from.dtype()));
  });
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfOneHot(const OperatorView& op) {
  TENON_ASSIGN_OR(const size_t axis, OneHotAxis(op));
  const int64_t depth = op.attributes().Int("depth", -1);
  if (!IsExtent(depth))
    return op.Wrong(fmt::format("expected a depth of 0 to {}, found {}", kMostExtent, depth));
  TensorShape shape = op.input(0).shape;
  shape.insert(shape.begin() + static_cast<int64_t>(axis), depth);
  return Shapes{std::move(shape)};
}

// Inputs are indices, and the values for places off and on.
absl::Status BuildOneHot(OperatorCode& code) {
  TENON_TRY(CheckInput(code, 0, kNumbers));
  if (code.input(1).dtype != code.output().dtype) return UnsupportedTypes(code);
  if (code.input(1).elements() != 2)
    return code.Wrong("expected two values, found " + code.input(1).TypeText());
  TENON_ASSIGN_OR(const size_t axis, OneHotAxis(code));
  const int64_t depth = code.attributes().Int("depth");
  const Array indices = code.In(0);
  const Array values = code.Flat(code.In(1), {2});
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    std::vector<Value> own = at;
    own.erase(own.begin() + static_cast<int64_t>(axis));
    if (own.empty()) own.push_back(code.Int(0));
    const Value index = Cast(kInt64, Widened(indices.Load(own)));
    const Value place = Select(index < 0, index + depth, index);
    return Select(place == Cast(kInt64, at[axis]), values({code.Int(1)}), values({code.Int(0)}));
  });
  return absl::OkStatus();
}

absl::Status BuildEyeLike(OperatorCode& code) {
  if (code.input(0).rank() != 2 || !IsOneOf(code.output().dtype, kAnyType))
    return code.Wrong("expected a matrix, found " + code.input(0).TypeText());
  const DataType dtype = code.output().dtype;
  const int64_t k = DiagonalOf(code);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value is_diagonal = at[0] + k == at[1];
    if (dtype.is_bool()) return is_diagonal;
    return Select(is_diagonal, code.Number(dtype, 1), code.Number(dtype, 0));
  });
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfRange(const OperatorView& op) {
  TENON_ASSIGN_OR(const int64_t count, CountOfRange(op));
  return Shapes{{count}};
}

absl::Status BuildRange(OperatorCode& code) {
  const DataType dtype = code.output().dtype;
  if (!IsOneOf(dtype, kNumbers)) return UnsupportedTypes(code);
  const DataType work = WorkType(dtype);
  TENON_ASSIGN_OR(const Value start, NumberSetting(code, "start", work));
  TENON_ASSIGN_OR(const Value delta, NumberSetting(code, "delta", work));
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    return Cast(dtype, start + Cast(work, at[0]) * delta);
  });
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfConstantOfShape(const OperatorView& op) {
  TensorShape shape = op.attributes().Ints("shape");
  for (const int64_t extent : shape) {
    if (!IsExtent(extent))
      return op.Wrong(fmt::format("expected extents of 0 to {}, found {}", kMostExtent, extent));
  }
  return Shapes{std::move(shape)};
}

absl::Status BuildConstantOfShape(OperatorCode& code) {
  const DataType dtype = code.output().dtype;
  if (!IsOneOf(dtype, kAnyType)) return UnsupportedTypes(code);
  TENON_ASSIGN_OR(const Value value, NumberSetting(code, "value", dtype));
  WriteElements(code, 0, [&](const std::vector<Value>&) { return value; });
  return absl::OkStatus();
}

namespace {

/// The part of the input's shape from `start` to `end`.
TensorShape PartOfShape(const OperatorView& op) {
  const TensorShape& shape = op.input(0).shape;
  const auto rank = static_cast<int64_t>(shape.size());
  const auto bound = [&](std::string_view name, int64_t otherwise) {
    const int64_t number = op.attributes().Int(name, otherwise);
    return std::clamp<int64_t>(number < 0 ? number + rank : number, 0, rank);
  };
  const int64_t start = bound("start", 0);
  const int64_t end = std::max(start, bound("end", rank));
  return {shape.begin() + start, shape.begin() + end};
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfShape(const OperatorView& op) {
  return Shapes{{static_cast<int64_t>(PartOfShape(op).size())}};
}

absl::Status BuildShape(OperatorCode& code) {
  TENON_TRY(CheckOutput(code, kInt64));
  const TensorShape shape = PartOfShape(code);
  const Array to = code.Out();
  for (size_t i = 0; i < shape.size(); ++i)
    code.Store(to, {code.Int(static_cast<int64_t>(i))}, code.Integer(kInt64, shape[i]));
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfSize(const OperatorView&) { return Shapes{{}}; }

absl::Status BuildSize(OperatorCode& code) {
  TENON_TRY(CheckOutput(code, kInt64));
  code.Store(code.Out(), {code.Int(0)}, code.Integer(kInt64, code.input(0).elements()));
  return absl::OkStatus();
}

// The sums or products of all elements up to each element of an axis. `exclusive` leaves out the
// element itself, and `reverse` begins at the last element.
absl::Status BuildCumulative(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kNumbers));
  TENON_ASSIGN_OR(const std::vector<int64_t> seen, Around(code, 0));
  const bool exclusive = code.attributes().Int("exclusive") != 0;
  const bool reverse = code.attributes().Int("reverse") != 0;
  const bool is_sum = code.op().kind == "cumsum";
  const DataType dtype = code.output().dtype;
  const DataType work = WorkType(dtype);
  const Array from = code.Flat(code.In(0), seen);
  const Array to = code.Flat(code.Out(), seen);
  const int64_t others[] = {seen[0], seen[2]};
  code.Grid("i", others, [&](const std::vector<Value>& at) {
    const Array result = code.Scalar("result", work);
    code.Set(result, code.Number(work, is_sum ? 0 : 1));
    code.For("k", seen[1], [&](Value k) {
      const Value place = reverse ? code.Int(seen[1] - 1) - k : k;
      const auto store = [&] {
        code.Store(to, {at[0], place, at[1]}, Cast(dtype, code.Get(result)));
      };
      if (exclusive) store();
      const Value element = Cast(work, from({at[0], place, at[1]}));
      code.Set(result, is_sum ? code.Get(result) + element : code.Get(result) * element);
      if (!exclusive) store();
    });
  });
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfTopK(const OperatorView& op) {
  const Tensor& x = op.input(0);
  TENON_ASSIGN_OR(const size_t axis, AxisIn(op, op.attributes().Int("axis", -1), x.rank()));
  const int64_t count = op.attributes().Int("k", -1);
  if (count < 0 || count > x.shape[axis])
    return op.Wrong(fmt::format("expected 0 to {} elements, found {}", x.shape[axis], count));
  TensorShape shape = x.shape;
  shape[axis] = count;
  return Shapes(op.outputs(), shape);
}

// The `k` greatest or least elements of an axis, in order, and their places. Of equal elements, the
// first comes first.
absl::Status BuildTopK(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kNumbers));
  TENON_TRY(CheckOutput(code, kInt64, 1));
  TENON_ASSIGN_OR(const std::vector<int64_t> seen, Around(code, -1));
  const int64_t count = code.attributes().Int("k");
  const bool is_largest = code.attributes().Int("largest", 1) != 0;
  const DataType dtype = code.output().dtype;
  const Array from = code.Flat(code.In(0), seen);
  const Array to = code.Flat(code.Out(0), {seen[0], count, seen[2]});
  const Array to_place = code.Flat(code.Out(1), {seen[0], count, seen[2]});
  const int64_t others[] = {seen[0], seen[2]};
  code.Grid("i", others, [&](const std::vector<Value>& at) {
    const auto element = [&](Value k) { return Widened(from({at[0], k, at[1]})); };
    const auto is_before = [&](Value a, Value b) { return is_largest ? b < a : a < b; };
    // The place that was chosen last, and the best one of those that come after it.
    const Array last = code.Scalar("last", kInt32);
    const Array best = code.Scalar("best", kInt32);
    code.Set(last, code.Int(0));
    code.For("j", count, [&](Value j) {
      code.Set(best, code.Int(-1));
      code.For("k", seen[1], [&](Value k) {
        const Value chosen = element(code.Get(last));
        const Value follows =
            is_before(chosen, element(k)) || (element(k) == chosen && code.Get(last) < k);
        code.If(j == code.Int(0) || follows, [&] {
          const Value so_far = element(Max(code.Get(best), 0));
          code.If(code.Get(best) < 0 || is_before(element(k), so_far), [&] { code.Set(best, k); });
        });
      });
      code.Set(last, Max(code.Get(best), 0));
      code.Store(to, {at[0], j, at[1]}, Cast(dtype, element(code.Get(last))));
      code.Store(to_place, {at[0], j, at[1]}, Cast(kInt64, code.Get(last)));
    });
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
