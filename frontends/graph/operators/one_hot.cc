// ONE_HOT: along a new axis, one value at the index that the input has, and another value
// elsewhere.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildOneHot(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(4, 4); !status.ok()) return status;
  const Tensor& indices = code.input(0);
  const Tensor& output = code.output();
  const std::optional<size_t> axis = AxisOf(code.attributes().Int("axis", -1), output.rank());
  std::vector<int64_t> shape = output.shape;
  if (axis) shape.erase(shape.begin() + static_cast<int64_t>(*axis));
  if (!axis || shape != indices.shape)
    return code.Wrong("expected an output with one more axis than the indices");
  for (const size_t value : {size_t{2}, size_t{3}}) {
    if (code.input(value).elements() != 1) return code.Wrong("expected one element for each value");
    if (code.input(value).dtype != output.dtype) return UnsupportedTypes(code);
  }
  if (!indices.dtype.is_int()) return UnsupportedTypes(code);
  const Array from = code.In(0);
  const Array on = code.Flat(code.In(2), {1});
  const Array off = code.Flat(code.In(3), {1});
  WriteElements(code, 0, [&](std::vector<Value> at) {
    const Value place = Cast(indices.dtype, at[*axis]);
    at.erase(at.begin() + static_cast<int64_t>(*axis));
    if (at.empty()) at.push_back(code.Int(0));
    return Select(from.Load(at) == place, code.Get(on), code.Get(off));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
