#ifndef TENON_PASSES_LOWERING_CONVERT_FOR_LOOPS_TO_SERIAL_H_
#define TENON_PASSES_LOWERING_CONVERT_FOR_LOOPS_TO_SERIAL_H_

#include "passes/pass.h"

namespace tenon {

/// Makes every parallel loop serial, so that all iterations may share one scratch buffer and memory
/// can be planned for a single thread. Loop annotations are kept. So are thread-bound loops,
/// because their variable identifies the thread.
///
///   before:
///     def f(A: T.Buffer((8,), "float32")):
///         for i in T.parallel(8):
///             A[i] = T.float32(0)
///   after:
///     def f(...):
///         for i in range(8):
///             A[i] = T.float32(0)
///
/// Idempotent. (TVM: tir.ConvertForLoopsToSerial, which planning with USMP runs first.)
absl::StatusOr<IRModule> ConvertForLoopsToSerial(const IRModule& module, const NoOptions& options,
                                                 PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_CONVERT_FOR_LOOPS_TO_SERIAL_H_
