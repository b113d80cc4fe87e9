// TILE: the input several times along each axis. The shapes say how often.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildTile(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, 2); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (x.dtype != output.dtype) return UnsupportedTypes(code);
  bool fits = x.rank() == output.rank();
  // Each axis of the output is two: the copy, and the place within the copy.
  std::vector<int64_t> seen;
  for (size_t axis = 0; fits && axis < x.shape.size(); ++axis) {
    const int64_t extent = x.shape[axis];
    fits = extent == 0 ? output.shape[axis] == 0 : output.shape[axis] % extent == 0;
    seen.push_back(extent == 0 ? 1 : output.shape[axis] / extent);
    seen.push_back(extent);
  }
  if (!fits) {
    return code.Wrong("expected an output of whole copies of the input's " + x.TypeText() +
                      ", found " + output.TypeText());
  }
  if (seen.empty()) seen = {1, 1};
  const Array from = code.In(0);
  const Array to = code.Flat(code.Out(), seen);
  code.Grid("i", seen, [&](const std::vector<Value>& at) {
    std::vector<Value> own;
    for (size_t axis = 1; axis < at.size(); axis += 2) own.push_back(at[axis]);
    code.Store(to, at, from.Load(own));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
