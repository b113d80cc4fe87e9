#ifndef TENON_ANALYSIS_STORE_ORDER_H_
#define TENON_ANALYSIS_STORE_ORDER_H_

#include "absl/container/flat_hash_set.h"
#include "ir/function.h"

// Loops whose stores must stay in order.

namespace tenon {

/// Finds loops around other loops in which two iterations may store to the same element, by their
/// variables: `i` of `for i: for j < 3: B[i + j] = A[i]`. A compiler that runs several iterations
/// of such a loop at once must keep the order of their stores. A loop is left out if each store in
/// its inner loops provably reaches different elements in each iteration. It is also left out if
/// the store reaches the same elements in all iterations and in the same order (a sum over the
/// loop).
///
/// Each store costs bounded time: the analysis looks at up to 16 loops around it. It visits at most
/// 512 nodes of its index and of the values of T.LetStmt in the index.
absl::flat_hash_set<const Var*> LoopsThatStoreInOrder(const PrimFunc& func);

}  // namespace tenon

#endif  // TENON_ANALYSIS_STORE_ORDER_H_
