// Operators that keep all elements in their order: Reshape, Flatten, Squeeze, Unsqueeze and
// Identity.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontends/graph/operators.h"
#include "frontends/graph/plain/plain.h"
#include "support/status_macros.h"

namespace tenon::graph::plain {

absl::Status BuildReshape(OperatorCode& code) {
  TENON_TRY(CheckOneType(code, kAnyType));
  const int64_t count = code.input(0).elements();
  const Array from = code.Flat(code.In(0), {count});
  const Array to = code.Flat(code.Out(), {count});
  code.For("i", count, [&](Value i) { code.Store(to, {i}, from({i})); });
  return absl::OkStatus();
}

// `shape` has an extent for each axis: 0 is the input's extent unless `allowzero` is set, and -1 is
// what remains.
absl::StatusOr<Shapes> ShapeOfReshape(const OperatorView& op) {
  const Tensor& x = op.input(0);
  if (!op.attributes().Has("shape")) return op.Wrong("the attribute `shape` is missing");
  TensorShape shape = op.attributes().Ints("shape");
  const bool allows_zero = op.attributes().Int("allowzero") != 0;
  std::optional<size_t> rest;
  int64_t known = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0 && !allows_zero) {
      if (axis >= x.shape.size())
        return op.Wrong("expected extents other than 0 after the input's axes");
      shape[axis] = x.shape[axis];
    }
    if (shape[axis] == -1) {
      if (rest) return op.Wrong("expected -1 at most once, found it twice");
      rest = axis;
      continue;
    }
    if (!IsExtent(shape[axis]))
      return op.Wrong(
          fmt::format("expected extents of 0 to {}, found {}", kMostExtent, shape[axis]));
    known *= shape[axis];
    if (known > kMostExtent) return op.Wrong("expected at most 2^31 - 1 elements");
  }
  if (rest) {
    if (known == 0) return op.Wrong("expected extents other than 0 next to -1");
    shape[*rest] = x.elements() / known;
    known *= shape[*rest];
  }
  if (known == x.elements()) return Shapes{std::move(shape)};
  return op.Wrong(fmt::format("expected a shape of {} elements, found {}", x.elements(), known));
}

absl::StatusOr<Shapes> ShapeOfFlatten(const OperatorView& op) {
  const Tensor& x = op.input(0);
  int64_t axis = op.attributes().Int("axis", 1);
  if (axis < 0) axis += x.rank();
  if (axis < 0 || axis > x.rank())
    return op.Wrong(fmt::format("expected an axis of 0 to {}, found {}", x.rank(), axis));
  const auto split = static_cast<size_t>(axis);
  return Shapes{{ExtentOf(x.shape, 0, split), ExtentOf(x.shape, split, x.shape.size())}};
}

absl::StatusOr<Shapes> ShapeOfSqueeze(const OperatorView& op) {
  const Tensor& x = op.input(0);
  TENON_ASSIGN_OR(const std::vector<size_t> axes, AxesIn(op, x.rank()));
  const bool is_given = op.attributes().Has("axes");
  TensorShape shape;
  for (size_t axis = 0; axis < x.shape.size(); ++axis) {
    const bool is_named = std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (!is_named || (!is_given && x.shape[axis] != 1)) {
      shape.push_back(x.shape[axis]);
    } else if (x.shape[axis] != 1) {
      return op.Wrong(
          fmt::format("expected an extent of 1 along axis {}, found {}", axis, x.shape[axis]));
    }
  }
  return Shapes{std::move(shape)};
}

absl::StatusOr<Shapes> ShapeOfUnsqueeze(const OperatorView& op) {
  const Tensor& x = op.input(0);
  if (!op.attributes().Has("axes")) return op.Wrong("the attribute `axes` is missing");
  const auto added = static_cast<int64_t>(op.attributes().Ints("axes").size());
  TENON_ASSIGN_OR(const std::vector<size_t> axes, AxesIn(op, x.rank() + added));
  TensorShape shape(x.shape.size() + axes.size(), -1);
  for (const size_t axis : axes) shape[axis] = 1;
  auto next = x.shape.begin();
  for (int64_t& extent : shape)
    if (extent == -1) extent = *next++;
  return Shapes{std::move(shape)};
}

}  // namespace tenon::graph::plain
