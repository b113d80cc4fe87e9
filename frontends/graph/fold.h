#ifndef TENON_FRONTENDS_GRAPH_FOLD_H_
#define TENON_FRONTENDS_GRAPH_FOLD_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "frontends/graph/graph.h"

namespace tenon::graph {

/// Computes the outputs of an operator of integers from shapes and from other known integers, such
/// as the bounds of a slice. False if the operator must stay: it has large tensors, floats, or
/// inputs that are not known. Inputs that the operator cannot have are InvalidArgument, such as an
/// index outside of its axis.
///
/// Each expression and statement takes one of `steps`. Without steps left, operators stay.
absl::StatusOr<bool> FoldIntegers(Graph& graph, const Operator& op, int64_t& steps);

/// Removes DEQUANTIZE of constants. The floats take more bytes than the constants, but no time and
/// no workspace in each run, and their order suits the loops that read them.
void FoldDequantized(Graph& graph);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_FOLD_H_
