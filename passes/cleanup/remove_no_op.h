#ifndef TENON_PASSES_CLEANUP_REMOVE_NO_OP_H_
#define TENON_PASSES_CLEANUP_REMOVE_NO_OP_H_

#include "passes/pass.h"

namespace tenon {

/// Removes statements without an effect: evaluations, empty loops, conditions and scopes, and
/// unused lets, allocations, constants and buffer declarations.
///
///   before:  t: T.int32 = n * 2               after:  A[0] = 1
///            s = T.allocate([4], "int8", "global")
///            for i in range(4):
///                T.evaluate(0)
///            A[0] = 1
///
/// Asserts, stores, while loops and calls with effects stay. A function without effects keeps
/// T.evaluate(0). Idempotent.
absl::StatusOr<IRModule> RemoveNoOp(const IRModule& module, const NoOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CLEANUP_REMOVE_NO_OP_H_
