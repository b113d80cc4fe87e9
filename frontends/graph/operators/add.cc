// ADD: the sum of two tensors.

#include "frontends/graph/operators.h"
#include "frontends/graph/sum.h"

namespace tenon::graph {

absl::Status BuildAdd(OperatorCode& code) { return BuildSum(code, false); }

}  // namespace tenon::graph
