#ifndef TENON_PASSES_LOWERING_EXPAND_MATH_H_
#define TENON_PASSES_LOWERING_EXPAND_MATH_H_

#include "passes/pass.h"

namespace tenon {

/// Writes T.tanh of float32 as arithmetic without branches, which vectors can do. A call of the C
/// library computes one lane at a time.
///
///   before:  y[i] = T.tanh(x[i])
///   after:   y[i] = T.Let(..., where={t: T.fabs(x[i]), ...})
///
/// The arithmetic is that of fdlibm's tanhf and expm1f, one operation for each of theirs, so the
/// result is the same bit for bit as that of glibc up to 2.40, for all 2^32 arguments. A NaN stays
/// a NaN. (Sun Microsystems, fdlibm 5.3, s_tanh.c and s_expm1.c; Ng, "Exp(x)-1 near 0".)
/// Idempotent.
absl::StatusOr<IRModule> ExpandMath(const IRModule& module, const NoOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_EXPAND_MATH_H_
