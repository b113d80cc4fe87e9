#ifndef TENON_PASSES_CLEANUP_REMOVE_NO_OP_H_
#define TENON_PASSES_CLEANUP_REMOVE_NO_OP_H_

#include "passes/pass.h"

namespace tenon {

/// Removes statements without an effect: evaluations, empty loops, conditions and scopes, stores to
/// allocations whose elements nothing reads, and unused lets, allocations, constants and buffer
/// declarations.
///
///   before:
///     def f(n: T.int32, A: T.Buffer((4,), "float32")):
///         t: T.int32 = n * 2
///         s = T.allocate([4], "int32", "global")
///         s_1 = T.Buffer((4,), "int32", data=s)
///         for i in range(4):
///             s_1[i] = s_1[i] + t
///         A[0] = T.float32(1)
///   after:
///     def f(...):
///         A[0] = T.float32(1)
///
/// A read counts only if its result is used: elements that are only read to compute other unread
/// elements are unread themselves. The pass keeps asserts, other stores, while loops, calls with
/// effects, and allocations that calls take. A function without effects keeps T.evaluate(0).
/// Idempotent.
absl::StatusOr<IRModule> RemoveNoOp(const IRModule& module, const NoOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CLEANUP_REMOVE_NO_OP_H_
