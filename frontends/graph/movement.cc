#include "frontends/graph/movement.h"

#include <utility>

#include "frontends/graph/elementwise.h"

namespace tenon::graph {

std::optional<size_t> AxisOf(int64_t axis, int64_t rank) {
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return std::nullopt;
  return static_cast<size_t>(axis);
}

absl::StatusOr<int64_t> AxisNumber(const OperatorView& op, size_t input) {
  const auto numbers = op.input(input).Integers();
  if (!numbers) return NotConstant(op, "an axis that is", {input});
  if (numbers->size() != 1) return op.Wrong("expected the number of one axis");
  return numbers->front();
}

std::vector<SliceAxis> WholeSlice(const Tensor& tensor) {
  std::vector<SliceAxis> axes;
  for (const int64_t extent : tensor.shape) axes.push_back({0, 1, extent});
  return axes;
}

absl::Status WriteSlice(OperatorCode& code, size_t input, size_t output,
                        std::vector<SliceAxis> axes) {
  const Tensor& x = code.input(input);
  const Tensor& to = code.output(output);
  if (x.dtype != to.dtype) return UnsupportedTypes(code);
  if (axes.empty()) axes.push_back({0, 1, 1});
  const std::vector<int64_t> shape = MemoryShape(x);
  std::vector<int64_t> counts;
  int64_t elements = 1;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    const SliceAxis& slice = axes[axis];
    const int64_t last = slice.begin + (slice.count - 1) * slice.stride;
    const auto is_inside = [&](int64_t at) { return at >= 0 && at < shape[axis]; };
    if (slice.count > 0 && (!is_inside(slice.begin) || !is_inside(last)))
      return code.Wrong("expected bounds within the input's " + x.TypeText());
    counts.push_back(slice.count);
    elements *= slice.count;
  }
  if (elements != to.elements())
    return code.Wrong("expected bounds that give the output's " + to.TypeText());
  const Array from = code.In(input);
  const Array memory = code.Flat(code.Out(output), counts);
  code.Grid("i", counts, [&](const std::vector<Value>& at) {
    std::vector<Value> own;
    for (size_t axis = 0; axis < at.size(); ++axis)
      own.push_back(at[axis] * axes[axis].stride + axes[axis].begin);
    code.Store(memory, at, from.Load(own));
  });
  return absl::OkStatus();
}

void WriteTransposed(OperatorCode& code, std::vector<int64_t> seen, std::span<const size_t> order) {
  std::vector<int64_t> shape;
  for (const size_t axis : order) shape.push_back(seen[axis]);
  const Array from = code.Flat(code.In(0), std::move(seen));
  const Array to = code.Flat(code.Out(), shape);
  code.Grid("i", shape, [&](const std::vector<Value>& at) {
    std::vector<Value> own(at.size());
    for (size_t axis = 0; axis < at.size(); ++axis) own[order[axis]] = at[axis];
    code.Store(to, at, from.Load(own));
  });
}

Value IndexWithin(const Tensor& indices, Value index, int64_t extent) {
  bool fits = indices.HasIntegers();
  for (int64_t i = 0; fits && i < indices.elements(); ++i)
    fits = indices.IntegerAt(i) >= 0 && indices.IntegerAt(i) < extent;
  if (fits) return Cast(kInt32, index);
  return Cast(kInt32, Max(Min(index, extent - 1), 0));
}

}  // namespace tenon::graph
