#ifndef TENON_PASSES_LOWERING_EXPAND_MATH_H_
#define TENON_PASSES_LOWERING_EXPAND_MATH_H_

#include "ir/expr.h"
#include "passes/pass.h"

namespace tenon {

/// True for exp, erf and tanh of float32: ExpandMath writes vectors of them as arithmetic.
bool HasArithmetic(const Call& call);
/// True if a node, or a node within it, is such a call.
bool CallsArithmetic(const Node* node);

/// Writes `T.tanh`, `T.exp` and `T.erf` of float32 as arithmetic without branches. A call of the C
/// library computes one element at a time. `exp` and `erf` become arithmetic only in vectors: for
/// one element, the call takes less time. The pass runs last of the faster loops, for targets with
/// vectors. Other functions and dtypes stay.
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
/// The arithmetic has one operation for each operation of the library's function. So results have
/// the same bits, for all 2^32 arguments. A NaN stays a NaN.
///
/// - `tanh` and `erf` have the bits of fdlibm, and of glibc up to 2.40 (Debian 12, Ubuntu 24.04).
///   Newer versions of glibc round better, and may differ in the last bit.
/// - `exp` has the bits of glibc from 2.28 on, on processors with fused multiply-and-add. Other
///   processors differ for two arguments.
///
/// `exp` and `erf` read a table of 32 powers of two (passes/lowering/math_expansions.h). It is a
/// constant of 256 bytes in each function that needs it; merge-constants keeps one.
///
/// Idempotent. Counter: expand-math.calls. (Sun Microsystems, fdlibm 5.3, s_tanh.c, s_expm1.c and
/// s_erf.c; Ng, "Exp(x)-1 near 0"; Arm, optimized-routines, expf.c.)
absl::StatusOr<IRModule> ExpandMath(const IRModule& module, const NoOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_EXPAND_MATH_H_
