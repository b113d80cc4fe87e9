#ifndef TENON_PASSES_CLEANUP_SIMPLIFY_H_
#define TENON_PASSES_CLEANUP_SIMPLIFY_H_

#include "passes/pass.h"

namespace tenon {

/// Simplifies every expression, using the ranges of the loops, the values of lets and the
/// conditions around it. The pass evaluates conditions that are always true or false, removes loops
/// that never run, and replaces the variable of a loop that runs once by its value.
///
/// Integers wrap at their dtype, so `(x * 4) // 4` becomes `x` only if the bounds of `x` show that
/// nothing wraps. The pass assumes nothing about loaded values. It keeps loops bound to threads,
/// loops with annotations, and `T.evaluate(0)` (remove-no-op removes `T.evaluate(0)`).
///
///   before:
///     def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
///         for i in range(4):
///             for j in range(1):
///                 if i * 4 + j < 16:
///                     A[(i * 4 + j) // 4] = B[i + j * 8]
///   after:
///     def f(...):
///         for i in range(4):
///             A[i] = B[i]
///
/// Idempotent.
absl::StatusOr<IRModule> Simplify(const IRModule& module, const NoOptions& options,
                                  PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CLEANUP_SIMPLIFY_H_
