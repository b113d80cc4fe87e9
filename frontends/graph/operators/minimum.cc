// MINIMUM: the smaller of two elements. Integers of 8 and 16 bits have one scale for all tensors.

#include "frontends/graph/broadcast.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildMinimum(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(2, 2); !status.ok()) return status;
  if (absl::Status status = CheckBroadcast(code); !status.ok()) return status;
  const DataType dtype = code.output().dtype;
  if (code.input(0).dtype != dtype || code.input(1).dtype != dtype || dtype.is_bool())
    return UnsupportedTypes(code);
  WriteElements(code, 0, [&](const std::vector<Value>& at) {
    return Min(BroadcastElement(code, 0, at), BroadcastElement(code, 1, at));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
