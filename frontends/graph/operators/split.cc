// SPLIT (axis, input) and SPLIT_V (input, sizes, axis): parts of a tensor along an axis.

#include "frontends/graph/movement.h"
#include "frontends/graph/operators.h"
#include "support/status_macros.h"

namespace tenon::graph {

absl::Status BuildSplit(OperatorCode& code) {
  const size_t outputs = code.op().outputs.size();
  if (absl::Status status = code.CheckCounts(2, 3, outputs); !status.ok()) return status;
  const bool has_sizes = code.inputs() == 3;
  const size_t input = has_sizes ? 0 : 1;
  const Tensor& x = code.input(input);
  TENON_ASSIGN_OR(const int64_t number, AxisNumber(code, has_sizes ? 2 : 0));
  const std::optional<size_t> axis = AxisOf(number, x.rank());
  if (!axis) return code.Wrong("expected an axis of the input");
  int64_t before = 0;
  for (size_t i = 0; i < outputs; ++i) {
    const Tensor& part = code.output(i);
    std::vector<SliceAxis> axes = WholeSlice(x);
    if (part.rank() != x.rank()) return code.Wrong("expected outputs that fit the input's shape");
    axes[*axis] = {before, 1, part.shape[*axis]};
    if (absl::Status status = WriteSlice(code, input, i, axes); !status.ok()) return status;
    before += part.shape[*axis];
  }
  if (before != x.shape[*axis])
    return code.Wrong("expected outputs whose extents add up to the input's");
  return absl::OkStatus();
}

}  // namespace tenon::graph
