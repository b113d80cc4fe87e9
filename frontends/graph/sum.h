#ifndef TENON_FRONTENDS_GRAPH_SUM_H_
#define TENON_FRONTENDS_GRAPH_SUM_H_

#include "absl/status/status.h"
#include "frontends/graph/operator_code.h"

namespace tenon::graph {

/// Writes the sum of two tensors, or their difference. Quantised inputs are brought to one scale
/// first, which is finer than twice the coarser one by 20 bits, or by 15 for int16.
absl::Status BuildSum(OperatorCode& code, bool subtract);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_SUM_H_
