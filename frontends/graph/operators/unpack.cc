// UNPACK: the parts of a tensor along an axis, without the axis.

#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildUnpack(OperatorCode& code) {
  const size_t outputs = code.op().outputs.size();
  if (absl::Status status = code.CheckCounts(1, 1, outputs); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const std::optional<size_t> axis = AxisOf(code.attributes().Int("axis"), x.rank());
  if (!axis) return code.Wrong("expected an axis of the input");
  if (x.shape[*axis] != static_cast<int64_t>(outputs))
    return code.Wrong("expected an output for each element of the axis");
  for (size_t i = 0; i < outputs; ++i) {
    std::vector<SliceAxis> axes = WholeSlice(x);
    axes[*axis] = {static_cast<int64_t>(i), 1, 1};
    if (absl::Status status = WriteSlice(code, 0, i, axes); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace tenon::graph
