#ifndef TENON_FRONTENDS_GRAPH_FOLD_H_
#define TENON_FRONTENDS_GRAPH_FOLD_H_

#include "frontends/graph/graph.h"

namespace tenon::graph {

/// Removes operators that compute integers from shapes and from other known integers, such as the
/// bounds of a slice. Their outputs get the values. Large tensors and floats stay.
void FoldIntegers(Graph& graph);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_FOLD_H_
