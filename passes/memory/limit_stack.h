#ifndef TENON_PASSES_MEMORY_LIMIT_STACK_H_
#define TENON_PASSES_MEMORY_LIMIT_STACK_H_

#include "passes/pass.h"

namespace tenon {

/// Moves scratch memory that is too large for the stack to the memory pools. The stack holds
/// allocations of less than 1,024 bytes. Memory planning leaves some allocations to the stack. This
/// pass changes those of 1,024 bytes or more:
///
/// - in a scope other than `global` and `global.workspace`, such as `local`, `shared` or `warp`:
///   the scope becomes `global`
/// - with an empty list of candidate pools, as localize-buffers writes it: the annotation is
///   removed
/// - in a vectorized loop, a thread-bound loop, or `T.launch_thread`: the loop becomes serial,
///   because back ends run it serially
///
/// A vectorized or thread-bound loop also becomes serial if it calls a function of the module whose
/// scratch has 1,024 bytes or more. Scratch whose size is not constant keeps its scope.
/// place-parallel-scratch handles parallel loops. Run lower-blocks first, because it turns the
/// buffers of blocks into allocations. Idempotent.
///
///   before:
///     def f(A: T.Buffer((2000,), "int32"), B: T.Buffer((2000,), "int32")):
///         s = T.allocate([2000], "int32", "local")
///         s_1 = T.Buffer((2000,), "int32", data=s, scope="local")
///         for i in range(2000):
///             s_1[i] = A[i] + 1
///         for i in range(2000):
///             B[i] = s_1[1999 - i]
///   after:
///     def f(...):
///         s = T.allocate([2000], "int32", "global")
///         s_1 = T.Buffer((2000,), "int32", data=s)
///         for i in range(2000):
///             s_1[i] = A[i] + 1
///         for i in range(2000):
///             B[i] = s_1[1999 - i]
///
/// Counters: `limit-stack.pooled` (allocations), `limit-stack.serial` (loops).
absl::StatusOr<IRModule> LimitStack(const IRModule& module, const NoOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_LIMIT_STACK_H_
