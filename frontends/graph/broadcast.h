#ifndef TENON_FRONTENDS_GRAPH_BROADCAST_H_
#define TENON_FRONTENDS_GRAPH_BROADCAST_H_

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "frontends/graph/operator_code.h"

namespace tenon::graph {

/// Checks that each input gets the output's shape by repeating extents of 1, and that each extent
/// of the output is that of an input.
absl::Status CheckBroadcast(const OperatorCode& code);

/// Checks that input `index` gets the output's shape by repeating extents of 1.
absl::Status CheckRepeats(const OperatorCode& code, size_t index);

/// The element of input `index` for the output's element at `at`, which has the indices of the
/// output's memory.
Value BroadcastElement(OperatorCode& code, size_t index, const std::vector<Value>& at);

/// Builds an operator whose output has an element of one of two inputs: the result of `choose`. All
/// three tensors have one dtype, not bool.
absl::Status BuildChoice(OperatorCode& code, const std::function<Value(Value, Value)>& choose);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_BROADCAST_H_
