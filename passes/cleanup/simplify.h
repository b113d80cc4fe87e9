#ifndef TENON_PASSES_CLEANUP_SIMPLIFY_H_
#define TENON_PASSES_CLEANUP_SIMPLIFY_H_

#include "passes/pass.h"

namespace tenon {

/// Simplifies every expression, knowing the ranges of the loops, the values of lets and the
/// conditions around it; decides `if`s, drops loops that never run and puts the one value of a loop
/// that runs once in place of its variable.
///
///   before:  for i in range(4):               after:  for i in range(4):
///                for j in range(1):                       A[i] = B[i]
///                    if i * 4 + j < 16:
///                        A[(i * 4 + j) // 4] = B[i + j * 8]
///
/// What holds of values that are loaded is not used: memory changes. Loops bound to threads and
/// loops with annotations stay, and so does T.evaluate(0) (remove-no-op takes it away). Nothing is
/// assumed about overflow (arith/analyzer.h). Idempotent.
absl::StatusOr<IRModule> Simplify(const IRModule& module, const NoOptions& options,
                                  PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CLEANUP_SIMPLIFY_H_
