#ifndef TENON_FRONTENDS_GRAPH_FOLD_H_
#define TENON_FRONTENDS_GRAPH_FOLD_H_

#include <cstdint>

#include "frontends/graph/graph.h"

namespace tenon::graph {

/// Computes the outputs of an operator of integers from shapes and from other known integers, such
/// as the bounds of a slice. False if the operator must stay: it has large tensors, floats, or
/// inputs that are not known.
///
/// Each expression and statement takes one of `steps`. Without steps left, operators stay.
bool FoldIntegers(Graph& graph, const Operator& op, int64_t& steps);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_FOLD_H_
