// BROADCAST_TO: the input with extents of 1 repeated to the output's shape.

#include "frontends/graph/broadcast.h"
#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildBroadcastTo(OperatorCode& code) {
  if (absl::Status status = code.CheckCounts(1, 2); !status.ok()) return status;
  if (code.input(0).dtype != code.output().dtype) return UnsupportedTypes(code);
  if (absl::Status status = CheckRepeats(code, 0); !status.ok()) return status;
  WriteElements(code, 0,
                [&](const std::vector<Value>& at) { return BroadcastElement(code, 0, at); });
  return absl::OkStatus();
}

}  // namespace tenon::graph
