// The integers of a state, for a reader that does not know how memory keeps them. lower_graph.cc
// adds it; files do not have it.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"
#include "frontends/graph/quantized.h"

namespace tenon::graph {

absl::Status BuildStateValue(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  WriteEach(code, [&](Value kept) { return FromState(code.input(0), kept); });
  return absl::OkStatus();
}

}  // namespace tenon::graph
