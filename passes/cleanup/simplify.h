#ifndef TENON_PASSES_CLEANUP_SIMPLIFY_H_
#define TENON_PASSES_CLEANUP_SIMPLIFY_H_

#include "passes/pass.h"

namespace tenon {

/// Simplifies every expression by the ranges of the loops, the values of lets and the conditions
/// around it. Decides `if`s, drops loops that never run, and replaces the variable of a loop that
/// runs once by its value.
///
///   before:  for i in range(4):               after:  for i in range(4):
///                for j in range(1):                       A[i] = B[i]
///                    if i * 4 + j < 16:
///                        A[(i * 4 + j) // 4] = B[i + j * 8]
///
/// Facts about loaded values are not used, since memory changes. Loops bound to threads, loops with
/// annotations and T.evaluate(0) stay (remove-no-op removes the latter). Nothing is assumed about
/// overflow (arith/analyzer.h). Idempotent.
absl::StatusOr<IRModule> Simplify(const IRModule& module, const NoOptions& options,
                                  PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CLEANUP_SIMPLIFY_H_
