// DIV: the quotient of two tensors of floats, or of int32, toward zero.

#include "frontends/graph/broadcast.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

absl::Status BuildDiv(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  if (absl::Status status = CheckBroadcast(code); !status.ok()) return status;
  const DataType dtype = code.output().dtype;
  if (code.input(0).dtype != dtype || code.input(1).dtype != dtype ||
      (dtype != kFloat32 && dtype != kInt32))
    return UnsupportedTypes(code);
  if (const auto probe = Activate(code, code.Number(dtype, 0)); !probe.ok()) return probe.status();
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    const Value divisor = BroadcastElement(code, 1, at);
    return *Activate(
        code, Div(BroadcastElement(code, 0, at), dtype == kInt32 ? Divisor(divisor) : divisor));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
