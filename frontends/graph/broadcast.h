#ifndef TENON_FRONTENDS_GRAPH_BROADCAST_H_
#define TENON_FRONTENDS_GRAPH_BROADCAST_H_

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "frontends/graph/operator_code.h"

namespace tenon::graph {

/// Checks that each input gives the output's shape when extents of 1 are repeated.
absl::Status CheckBroadcast(const OperatorCode& code);

/// The element of input `index` that the output's element at `at` is computed from. `at` has the
/// indices of the output's memory.
Value BroadcastElement(OperatorCode& code, size_t index, const std::vector<Value>& at);

/// Builds an operator that gives one of its two inputs' elements: `choose` of both. All three
/// tensors have one dtype, not bool.
absl::Status BuildChoice(OperatorCode& code, const std::function<Value(Value, Value)>& choose);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_BROADCAST_H_
