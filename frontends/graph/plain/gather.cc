// Gather, GatherElements, GatherND, ScatterElements and ScatterND. Negative indices count from the
// end. An index outside of its axis becomes the nearest one inside, so no access leaves the memory.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

namespace {

absl::Status CheckIndices(const OperatorView& op, size_t input) {
  const DataType dtype = op.input(input).dtype;
  if (dtype == kInt32 || dtype == kInt64) return absl::OkStatus();
  return op.Unsupported("indices of the type " + dtype.ToString());
}

/// The place of an index in an axis of `extent` elements.
Value PlaceIn(const Tensor& indices, Value index, int64_t extent) {
  bool has_negative = !indices.HasIntegers();
  for (int64_t i = 0; !has_negative && i < indices.elements(); ++i)
    has_negative = indices.IntegerAt(i) < 0;
  if (has_negative) index = Select(index < 0, index + extent, index);
  return IndexWithin(indices, index, extent);
}

/// An error if a constant index is outside of its axis, or if there is nothing to choose from.
absl::Status CheckRange(const OperatorView& op, int64_t extent) {
  const Tensor& indices = op.input(1);
  if (extent == 0 && indices.elements() > 0)
    return op.Wrong("expected elements along the axis, found none");
  for (int64_t i = 0; indices.HasIntegers() && i < indices.elements(); ++i) {
    const int64_t index = indices.IntegerAt(i);
    if (index < -extent || index >= extent)
      return op.Wrong(
          fmt::format("expected indices of {} to {}, found {}", -extent, extent - 1, index));
  }
  return absl::OkStatus();
}

absl::StatusOr<size_t> GatherAxis(const OperatorView& op) {
  return AxisIn(op, op.attributes().Int("axis"), op.input(0).rank());
}

/// The number of leading axes that GatherND and its indices share.
absl::StatusOr<size_t> BatchAxes(const OperatorView& op) {
  const Tensor& x = op.input(0);
  const Tensor& rows = op.input(1);
  const int64_t batch = op.attributes().Int("batch_dims");
  if (batch < 0 || batch >= std::min(x.rank(), rows.rank()))
    return op.Wrong(fmt::format("expected `batch_dims` below the ranks, found {}", batch));
  const auto count = static_cast<size_t>(batch);
  if (!std::equal(x.shape.begin(), x.shape.begin() + batch, rows.shape.begin()))
    return op.Wrong("expected the same leading axes in both inputs");
  if (rows.shape.back() < 1 || rows.shape.back() > x.rank() - batch)
    return op.Wrong(fmt::format("expected rows of 1 to {} indices, found {}", x.rank() - batch,
                                rows.shape.back()));
  return count;
}

/// How an update changes an element.
enum class Update : uint8_t { kNone, kAdd, kMul, kMax, kMin };

absl::StatusOr<Update> UpdateOf(const OperatorView& op) {
  const std::string_view text = op.attributes().Text("reduction", "none");
  constexpr std::string_view kNames[] = {"none", "add", "mul", "max", "min"};
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (text == kNames[i]) return static_cast<Update>(i);
  return op.Wrong(
      fmt::format("expected none, add, mul, max or min in `reduction`, found `{}`", text));
}

Value Updated(Update update, Value before, Value value) {
  const DataType dtype = before.dtype();
  const Value a = Widened(before);
  const Value b = Widened(value);
  switch (update) {
    case Update::kNone:
      return value;
    case Update::kAdd:
      return Cast(dtype, a + b);
    case Update::kMul:
      return Cast(dtype, a * b);
    case Update::kMax:
      return Cast(dtype, MaxOf(a, b));
    case Update::kMin:
      break;
  }
  return Cast(dtype, MinOf(a, b));
}

/// Checks a scatter, and writes the data, which updates then change.
absl::StatusOr<Update> BeginScatter(OperatorCode& code) {
  TENON_TRY(CheckIndices(code, 1));
  TENON_ASSIGN_OR(const Update update, UpdateOf(code));
  const DataType dtype = code.output().dtype;
  if (code.input(0).dtype != dtype || code.input(2).dtype != dtype ||
      !IsOneOf(dtype, update == Update::kNone ? kAnyType : kNumbers))
    return UnsupportedTypes(code);
  const Array from = code.In(0);
  WriteElements(code, 0, [&](const std::vector<Value>& at) { return from.Load(at); });
  return update;
}

}  // namespace

absl::StatusOr<Shapes> ShapeOfGather(const OperatorView& op) {
  TENON_ASSIGN_OR(const size_t axis, GatherAxis(op));
  const Tensor& x = op.input(0);
  const Tensor& indices = op.input(1);
  const auto split = x.shape.begin() + static_cast<int64_t>(axis);
  TensorShape shape(x.shape.begin(), split);
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), split + 1, x.shape.end());
  return Shapes{std::move(shape)};
}

absl::Status BuildGather(OperatorCode& code) {
  TENON_TRY(CheckIndices(code, 1));
  const Tensor& x = code.input(0);
  const Tensor& indices = code.input(1);
  if (x.dtype != code.output().dtype || !IsOneOf(x.dtype, kAnyType)) return UnsupportedTypes(code);
  TENON_ASSIGN_OR(const size_t axis, GatherAxis(code));
  TENON_TRY(CheckRange(code, x.shape[axis]));
  const Array from = code.In(0);
  const Array numbers = code.In(1);
  WriteElements(code, 0, [&](const std::vector<Value>& to) {
    std::vector<Value> own(to.begin(), to.begin() + static_cast<int64_t>(axis));
    std::vector<Value> place(to.begin() + static_cast<int64_t>(axis),
                             to.begin() + static_cast<int64_t>(axis) + indices.rank());
    if (place.empty()) place.push_back(code.Int(0));
    own.push_back(PlaceIn(indices, numbers.Load(place), x.shape[axis]));
    for (size_t i = axis + indices.shape.size(); own.size() < x.shape.size(); ++i)
      own.push_back(to[i]);
    return from.Load(own);
  });
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfGatherElements(const OperatorView& op) {
  TENON_ASSIGN_OR(const size_t axis, GatherAxis(op));
  const TensorShape& x = op.input(0).shape;
  const TensorShape& indices = op.input(1).shape;
  bool fits = x.size() == indices.size();
  for (size_t i = 0; fits && i < x.size(); ++i) fits = i == axis || indices[i] <= x[i];
  if (fits) return Shapes{indices};
  return op.Wrong("expected indices within the input, found " + op.input(1).TypeText());
}

absl::Status BuildGatherElements(OperatorCode& code) {
  TENON_TRY(CheckIndices(code, 1));
  const Tensor& x = code.input(0);
  if (x.dtype != code.output().dtype || !IsOneOf(x.dtype, kAnyType)) return UnsupportedTypes(code);
  TENON_ASSIGN_OR(const size_t axis, GatherAxis(code));
  TENON_TRY(CheckRange(code, x.shape[axis]));
  const Array from = code.In(0);
  const Array numbers = code.In(1);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    std::vector<Value> own = at;
    own[axis] = PlaceIn(code.input(1), numbers.Load(at), x.shape[axis]);
    return from.Load(own);
  });
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfGatherNd(const OperatorView& op) {
  TENON_ASSIGN_OR(const size_t batch, BatchAxes(op));
  const Tensor& x = op.input(0);
  const Tensor& rows = op.input(1);
  TensorShape shape(rows.shape.begin(), rows.shape.end() - 1);
  shape.insert(shape.end(), x.shape.begin() + static_cast<int64_t>(batch) + rows.shape.back(),
               x.shape.end());
  return Shapes{std::move(shape)};
}

absl::Status BuildGatherNd(OperatorCode& code) {
  TENON_TRY(CheckIndices(code, 1));
  const Tensor& x = code.input(0);
  const Tensor& rows = code.input(1);
  if (x.dtype != code.output().dtype || !IsOneOf(x.dtype, kAnyType)) return UnsupportedTypes(code);
  TENON_ASSIGN_OR(const size_t batch, BatchAxes(code));
  if (x.elements() == 0 && code.output().elements() > 0)
    return code.Wrong("expected elements to gather, found none");
  const Array from = code.In(0);
  const Array numbers = code.In(1);
  const size_t leading = rows.shape.size() - 1;
  WriteElements(code, 0, [&](const std::vector<Value>& to) {
    std::vector<Value> own(to.begin(), to.begin() + static_cast<int64_t>(batch));
    std::vector<Value> place(to.begin(), to.begin() + static_cast<int64_t>(leading));
    place.push_back(code.Int(0));
    for (int64_t i = 0; i < rows.shape.back(); ++i) {
      place.back() = code.Int(i);
      own.push_back(PlaceIn(rows, numbers.Load(place), x.shape[own.size()]));
    }
    for (size_t i = leading; own.size() < x.shape.size(); ++i) own.push_back(to[i]);
    return from.Load(own);
  });
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfScatterElements(const OperatorView& op) {
  TENON_ASSIGN_OR(const Shapes indices, ShapeOfGatherElements(op));
  if (op.input(2).shape == indices[0]) return Shapes{op.input(0).shape};
  return op.Wrong("expected an update for each index, found " + op.input(2).TypeText());
}

absl::Status BuildScatterElements(OperatorCode& code) {
  TENON_ASSIGN_OR(const size_t axis, GatherAxis(code));
  const Tensor& x = code.input(0);
  TENON_TRY(CheckRange(code, x.shape[axis]));
  TENON_ASSIGN_OR(const Update update, BeginScatter(code));
  const Array numbers = code.In(1);
  const Array updates = code.In(2);
  const Array to = code.Out();
  code.Grid("u", code.input(1).shape, [&](const std::vector<Value>& at) {
    std::vector<Value> own = at;
    own[axis] = code.Once(PlaceIn(code.input(1), numbers.Load(at), x.shape[axis]));
    code.Store(to, own, Updated(update, to.Load(own), updates.Load(at)));
  });
  return absl::OkStatus();
}

absl::StatusOr<Shapes> ShapeOfScatterNd(const OperatorView& op) {
  const Tensor& x = op.input(0);
  const Tensor& rows = op.input(1);
  if (rows.rank() == 0 || rows.shape.back() < 1 || rows.shape.back() > x.rank())
    return op.Wrong("expected rows of indices for axes of the input, found " + rows.TypeText());
  TensorShape updates(rows.shape.begin(), rows.shape.end() - 1);
  updates.insert(updates.end(), x.shape.begin() + rows.shape.back(), x.shape.end());
  if (op.input(2).shape == updates) return Shapes{x.shape};
  return op.Wrong("expected updates for rows of indices, found " + op.input(2).TypeText());
}

absl::Status BuildScatterNd(OperatorCode& code) {
  const Tensor& x = code.input(0);
  const Tensor& rows = code.input(1);
  if (x.elements() == 0 && code.input(2).elements() > 0)
    return code.Wrong("expected elements to update, found none");
  TENON_ASSIGN_OR(const Update update, BeginScatter(code));
  const Array numbers = code.In(1);
  const Array updates = code.In(2);
  const Array to = code.Out();
  const size_t leading = rows.shape.size() - 1;
  code.Grid("u", MemoryShape(code.input(2)), [&](const std::vector<Value>& at) {
    std::vector<Value> place(at.begin(), at.begin() + static_cast<int64_t>(leading));
    place.push_back(code.Int(0));
    std::vector<Value> own;
    for (int64_t i = 0; i < rows.shape.back(); ++i) {
      place.back() = code.Int(i);
      own.push_back(code.Once(PlaceIn(rows, numbers.Load(place), x.shape[own.size()])));
    }
    for (size_t i = leading; own.size() < x.shape.size(); ++i) own.push_back(at[i]);
    code.Store(to, own, Updated(update, to.Load(own), updates.Load(at)));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph::plain
