#ifndef TENON_PASSES_LOOPS_DISTRIBUTE_LOOPS_H_
#define TENON_PASSES_LOOPS_DISTRIBUTE_LOOPS_H_

#include "passes/pass.h"

namespace tenon {

/// Splits loops that compute sums and then use them, if only the uses make the iterations depend on
/// each other. The iterations of the first loop are then independent, so vectorize-loops can
/// compute several at once. The statements stay in order for each element of memory. `exp`, `erf`
/// and `tanh` of float32 count as sums: in lanes, they are arithmetic.
///
///   before:
///     def f(q: T.Buffer((64,), "float32"), k: T.Buffer((8192,), "float32"), w: T.Buffer((128,),
///         "float32"), s: T.Buffer((1,), "float32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         for t in range(128):
///             w[t] = T.float32(0)
///             for d in range(64):
///                 w[t] = w[t] + q[d] * k[t * 64 + d]
///             s[0] = T.max(s[0], w[t])
///   after:
///     def f(...):
///         ...
///         for t in range(128):
///             w[t] = T.float32(0)
///             for d in range(64):
///                 w[t] = w[t] + q[d] * k[t * 64 + d]
///         for t in range(128):
///             s[0] = T.max(s[0], w[t])
///
/// Results are the same bit for bit. (Kennedy and Allen, "Optimizing Compilers for Modern
/// Architectures", 2001, 2.4.) Idempotent. Counter: distribute-loops.loops.
absl::StatusOr<IRModule> DistributeLoops(const IRModule& module, const NoOptions& options,
                                         PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_DISTRIBUTE_LOOPS_H_
