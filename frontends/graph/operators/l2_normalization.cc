// L2_NORMALIZATION: x over the root of the sum of squares along the last axis.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "ir/builtins.h"

namespace tenon::graph {

absl::Status BuildL2Normalization(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const Tensor& x = code.input(0);
  if (code.attributes().Text("activation", "none") != "none")
    return code.Unsupported("a fused activation");
  if (x.dtype != kFloat32 || code.output().dtype != kFloat32) return UnsupportedTypes(code);
  if (x.rank() < 1) return code.Wrong("expected an input with an axis");
  const int64_t depth = x.shape.back();
  const int64_t rows = depth == 0 ? 0 : x.elements() / depth;
  constexpr float kLeast = 1e-6F;
  const Array from = code.Flat(code.In(0), {rows, depth});
  const Array to = code.Flat(code.Out(), {rows, depth});
  code.For("row", rows, [&](Value row) {
    const Array sum = code.Scalar("sum", x.dtype);
    code.Set(sum, code.Number(x.dtype, 0));
    code.For("c", depth, [&](Value c) {
      code.Set(sum, code.Get(sum) + from({row, c}) * from({row, c}));
    });
    // A NaN stays: Max gives its second operand for it.
    const Value norm =
        code.Once(Max(code.Number(x.dtype, double{kLeast}), CallOf(OpKind::kSqrt, code.Get(sum))));
    code.For("c", depth, [&](Value c) { code.Store(to, {row, c}, Div(from({row, c}), norm)); });
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
