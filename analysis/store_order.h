#ifndef TENON_ANALYSIS_STORE_ORDER_H_
#define TENON_ANALYSIS_STORE_ORDER_H_

#include "absl/container/flat_hash_set.h"
#include "ir/function.h"

// Loops whose stores have to stay in order.

namespace tenon {

/// Loops around other loops in which two iterations may store to the same element, by their
/// variables: `i` of `for i: for j < 3: B[i + j] = A[i]`. A compiler that takes several iterations
/// of such a loop at once has to keep the order of their stores. A loop is left out where each
/// store in its inner loops is proven to reach other elements in each iteration, or the same ones
/// in all iterations and in the same order (a sum over the loop).
///
/// Each store costs a bounded time: the analysis looks at up to 16 loops around it, and at 512
/// nodes of its index and of the values of T.LetStmt that the index mentions.
absl::flat_hash_set<const Var*> LoopsThatStoreInOrder(const PrimFunc& func);

}  // namespace tenon

#endif  // TENON_ANALYSIS_STORE_ORDER_H_
