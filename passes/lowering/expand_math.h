#ifndef TENON_PASSES_LOWERING_EXPAND_MATH_H_
#define TENON_PASSES_LOWERING_EXPAND_MATH_H_

#include "ir/expr.h"
#include "passes/pass.h"

namespace tenon {

/// True for exp, erf and tanh of float32: ExpandMath writes vectors of them as arithmetic.
bool HasArithmetic(const Call& call);
/// True if a node, or a node within it, is such a call.
bool CallsArithmetic(const Node* node);

/// Writes T.tanh, and T.exp and T.erf of vectors, of float32 as arithmetic without branches, which
/// vectors can do. A call of the C library computes one lane at a time.
///
///   before:  y[i] = T.tanh(x[i])
///   after:   y[i] = T.Let(..., where={t: T.fabs(x[i]), ...})
///
/// The arithmetic is that of the C library, one operation for each of its operations. So results
/// are the same bit for bit, for all 2^32 arguments. tanh and erf are those of fdlibm and of glibc
/// up to 2.40, exp is that of glibc from 2.28 on (passes/lowering/math_expansions.h). A NaN stays a
/// NaN. (Sun Microsystems, fdlibm 5.3, s_tanh.c, s_expm1.c and s_erf.c; Ng, "Exp(x)-1 near 0"; Arm,
/// optimized-routines, expf.c.) Idempotent.
absl::StatusOr<IRModule> ExpandMath(const IRModule& module, const NoOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_EXPAND_MATH_H_
