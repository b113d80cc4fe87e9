#ifndef TENON_FRONTENDS_GRAPH_EXPAND_H_
#define TENON_FRONTENDS_GRAPH_EXPAND_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/graph/graph.h"

namespace tenon::graph {

/// Makes one graph of `graphs[main]` and of the graphs that its operators run:
///
/// - IF and WHILE, if the condition is a constant in each turn: operators of the branch, or of all
///   turns one after another;
/// - composites: the operators of their decomposition;
/// - variables, and CALL_ONCE, which gives them their initial values: states (variables.h).
///
/// Operators that this is not possible for stay, with the reason as `refusal`. Tensors of
/// `graphs[main]` keep their numbers. An error names the operator.
absl::StatusOr<Graph> ExpandGraphs(const std::vector<Graph>& graphs, size_t main);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_EXPAND_H_
