#ifndef TENON_PASSES_LOOPS_PROMOTE_ACCUMULATORS_H_
#define TENON_PASSES_LOOPS_PROMOTE_ACCUMULATORS_H_

#include "passes/pass.h"

namespace tenon {

/// Sums that loops make in an element of a buffer, or in a vector of them, are made in a local
/// allocation instead, which becomes a register. A sum in a pool is written back at every step,
/// since any pointer might refer to it.
///
///   before:  for k in range(9):           after:  sum = T.allocate([1], "int32")
///                y[i] = y[i] + x[k]               sum_1[0] = y[i]
///                                                 for k in range(9):
///                                                     sum_1[0] = sum_1[0] + x[k]
///                                                 y[i] = sum_1[0]
///
/// The loops are nested without anything between them, and have constant bounds and one store. None
/// of them changes the index of the store. The store always reads the element that it writes, and
/// nothing else in the loops may access that memory. The allocation is not planned: its annotation
/// `candidate_memory_pools` is empty. Idempotent.
absl::StatusOr<IRModule> PromoteAccumulators(const IRModule& module, const NoOptions& options,
                                             PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_PROMOTE_ACCUMULATORS_H_
