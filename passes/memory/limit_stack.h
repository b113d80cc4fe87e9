#ifndef TENON_PASSES_MEMORY_LIMIT_STACK_H_
#define TENON_PASSES_MEMORY_LIMIT_STACK_H_

#include "passes/pass.h"

namespace tenon {

/// Gives scratch of 1,024 bytes or more to the memory pools if it would be on the stack, which is
/// too small for it. The scope becomes `global`, and the annotation that allows no pool goes away.
///
///   before:  s = T.allocate([2000], "int32", "local")
///   after:   s = T.allocate([2000], "int32", "global")
///
/// Memory planning leaves allocations in vectorized and thread-bound loops alone. Such a loop
/// becomes serial if it contains scratch of this size, or calls a function of the module that does.
/// Scratch whose size is not constant keeps its scope. Idempotent. Counters: limit-stack.pooled
/// (allocations), .serial (loops).
absl::StatusOr<IRModule> LimitStack(const IRModule& module, const NoOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_LIMIT_STACK_H_
