// MAXIMUM: the larger of two elements. Integers of 8 and 16 bits have one scale for all tensors.

#include "frontends/graph/broadcast.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildMaximum(OperatorCode& code) {
  return BuildChoice(code, [](Value a, Value b) { return Max(a, b); });
}

}  // namespace tenon::graph
