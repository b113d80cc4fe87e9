#ifndef TENON_FRONTENDS_GRAPH_FUNCTION_KEY_H_
#define TENON_FRONTENDS_GRAPH_FUNCTION_KEY_H_

#include <string>

#include "frontends/graph/graph.h"

namespace tenon::graph {

/// Everything that an operator's function depends on. Operators of a loop's turns have one
/// function if their keys are equal.
std::string FunctionKey(const Graph& graph, const Operator& op);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_FUNCTION_KEY_H_
