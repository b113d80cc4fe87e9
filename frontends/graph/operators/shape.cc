// SHAPE: the extents of a tensor, which are known. RANK: their number.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildShape(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, 1); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (output.elements() != x.rank() || !output.dtype.is_int())
    return code.Wrong("expected an output with an integer for each dimension");
  if (absl::Status status = CheckOutputType(code); !status.ok()) return status;
  const Array to = code.Out();
  for (size_t axis = 0; axis < x.shape.size(); ++axis) {
    code.Store(to, {code.Int(static_cast<int64_t>(axis))},
               code.Integer(output.dtype, x.shape[axis]));
  }
  return absl::OkStatus();
}

absl::Status BuildRank(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, 1); !status.ok()) return status;
  const Tensor& output = code.output();
  if (output.elements() != 1 || !output.dtype.is_int())
    return code.Wrong("expected an output of one integer");
  code.Set(code.Flat(code.Out(), {1}), code.Integer(output.dtype, code.input(0).rank()));
  return absl::OkStatus();
}

}  // namespace tenon::graph
