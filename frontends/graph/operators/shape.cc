// SHAPE: the extents of a tensor, which are known.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildShape(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, 1); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (output.elements() != x.rank() || !output.dtype.is_int())
    return code.Wrong("expected an output with an integer for each dimension");
  const Array to = code.Out();
  for (size_t axis = 0; axis < x.shape.size(); ++axis) {
    code.Store(to, {code.Int(static_cast<int64_t>(axis))},
               code.Integer(output.dtype, x.shape[axis]));
  }
  return absl::OkStatus();
}

}  // namespace tenon::graph
