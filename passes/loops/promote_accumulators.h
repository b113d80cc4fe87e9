#ifndef TENON_PASSES_LOOPS_PROMOTE_ACCUMULATORS_H_
#define TENON_PASSES_LOOPS_PROMOTE_ACCUMULATORS_H_

#include "passes/pass.h"

namespace tenon {

/// Moves sums that loops add up in an element of a buffer, or in a vector of elements, into a local
/// allocation, which becomes a register.
///
///   before:
///     def f(x: T.Buffer((9,), "int32"), y: T.Buffer((1,), "int32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         for k in range(9):
///             y[0] = y[0] + x[k]
///   after:
///     def f(...):
///         ...
///         y_1 = T.allocate([1], "int32", "global", annotations={"candidate_memory_pools": []})
///         y_2 = T.Buffer((1,), "int32", data=y_1)
///         y_2[0] = y[0]
///         for k in range(9):
///             y_2[0] = y_2[0] + x[k]
///         y[0] = y_2[0]
///
/// A sum in a pool is written back at every step, because any pointer might point to it. The loops
/// must be perfectly nested, with constant bounds and a single store, whose index does not depend
/// on them. The store must read the element that it writes, and nothing else in the loops may
/// access that memory. Idempotent.
absl::StatusOr<IRModule> PromoteAccumulators(const IRModule& module, const NoOptions& options,
                                             PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_PROMOTE_ACCUMULATORS_H_
