// The states of a model, which both formats read and write in the same way (variables.h).

#include "frontends/graph/operators.h"

namespace tenon::graph::plain {

absl::Status BuildReadState(OperatorCode& code) { return BuildReadVariable(code); }
absl::Status BuildAssignState(OperatorCode& code) { return BuildAssignVariable(code); }

}  // namespace tenon::graph::plain
