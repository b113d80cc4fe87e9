// TANH: the hyperbolic tangent. Integers of 8 bits are looked up in a table.

#include <cmath>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

absl::Status BuildTanh(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const Tensor& x = code.input(0);
  const Tensor& output = code.output();
  if (x.dtype != output.dtype) return UnsupportedTypes(code);
  if (x.dtype == DataType::Float(32)) {
    WriteEach(code, [&](Value value) { return CallOf(OpKind::kTanh, value); });
    return absl::OkStatus();
  }
  if (x.dtype.bits() != 8 || !HasScale(x) || !HasScale(output)) return UnsupportedTypes(code);
  WriteByTable(
      code, [&](int64_t value) { return QuantizedInFloat(output, std::tanh(RealOf(x, value))); });
  return absl::OkStatus();
}

}  // namespace tenon::graph
