// SUB: the difference of two tensors.

#include "frontends/graph/operators.h"
#include "frontends/graph/sum.h"

namespace tenon::graph {

absl::Status BuildSub(OperatorCode& code) { return BuildSum(code, true); }

}  // namespace tenon::graph
