#ifndef TENON_FRONTENDS_GRAPH_SUM_H_
#define TENON_FRONTENDS_GRAPH_SUM_H_

#include "absl/status/status.h"
#include "frontends/graph/operator_code.h"

namespace tenon::graph {

/// Writes the sum of two tensors, or their difference. Quantised inputs are first converted to a
/// common scale: twice the coarser scale, divided by 2^20, or by 2^15 for int16.
absl::Status BuildSum(OperatorCode& code, bool subtract);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_SUM_H_
