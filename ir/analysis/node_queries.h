#ifndef TENON_IR_ANALYSIS_NODE_QUERIES_H_
#define TENON_IR_ANALYSIS_NODE_QUERIES_H_

#include <cstddef>

#include "ir/expr.h"
#include "ir/node.h"

// Small questions about a statement or expression, each answered by one walk.

namespace tenon {

/// Whether `root`, or the layout of a buffer that it accesses, mentions `var`.
bool Mentions(const Node* root, const Var* var);

/// The number of nodes of `root`. A node that it shares counts at each of its places.
size_t NodeCount(const Node* root);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_NODE_QUERIES_H_
