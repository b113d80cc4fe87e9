#ifndef TENON_PASSES_LOWERING_EXPAND_MATH_H_
#define TENON_PASSES_LOWERING_EXPAND_MATH_H_

#include "ir/expr.h"
#include "passes/pass.h"

namespace tenon {

/// True for exp, erf and tanh of float32: ExpandMath writes vectors of them as arithmetic.
bool HasArithmetic(const Call& call);
/// True if a node, or a node within it, is such a call.
bool CallsArithmetic(const Node* node);

/// Writes `T.tanh`, `T.exp` and `T.erf` of float32 as arithmetic without branches, which can be
/// computed in vectors; a call of the C library computes one element at a time. `exp` and `erf`
/// become arithmetic only in vectors, because for one element the call is faster. The pass runs
/// last in step 4 of the pipeline, for targets with vectors. It does not change other functions and
/// dtypes.
///
///   before:
///     def f(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
///         for i in range(4):
///             y[i] = T.tanh(x[i])
///   after:
///     def f(...):
///         for i in range(4):
///             ...
///             y[i] = T.Let(..., where={x_1: x[i]})
///
/// The arithmetic consists of the same operations as the library's function, so results have the
/// same bits for all 2^32 arguments. The result for a NaN is a NaN.
///
/// - `tanh` and `erf` have the bits of fdlibm, and of glibc up to 2.40 (Debian 12, Ubuntu 24.04).
///   Newer versions of glibc round better, and may differ in the last bit.
/// - `exp` has the bits of glibc 2.28 and newer on processors with fused multiply-and-add. On other
///   processors, it differs for two arguments.
///
/// `exp` and `erf` read a table of 32 powers of two (passes/lowering/math_expansions.h). It is a
/// constant of 256 bytes in each function that needs it; merge-constants merges these constants
/// into one.
///
/// Idempotent. Counter: expand-math.calls. (Sun Microsystems, fdlibm 5.3, s_tanh.c, s_expm1.c and
/// s_erf.c; Ng, "Exp(x)-1 near 0"; Arm, optimized-routines, expf.c.)
absl::StatusOr<IRModule> ExpandMath(const IRModule& module, const NoOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_EXPAND_MATH_H_
