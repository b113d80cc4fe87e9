#ifndef TENON_PASSES_LOOPS_DISTRIBUTE_LOOPS_H_
#define TENON_PASSES_LOOPS_DISTRIBUTE_LOOPS_H_

#include "passes/pass.h"

namespace tenon {

/// Splits loops that compute sums and then use them, if only the uses tie the iterations together.
/// The iterations of the first loop are then independent, so that others passes can compute several
/// at once.
///
///   before:  for t in range(128):                  after:  for t in range(128):
///                w[t] = 0                                      w[t] = 0
///                for d in range(64):                           for d in range(64):
///                    w[t] = w[t] + q[d] * k[t, d]                  w[t] = w[t] + q[d] * k[t, d]
///                s[0] = T.max(s[0], w[t])                  for t in range(128):
///                                                              s[0] = T.max(s[0], w[t])
///
/// Values with exp, erf or tanh of float32 count as sums: in lanes, they are arithmetic
/// (expand-math). The statements stay in order for each element of memory, so results are the same
/// bit for bit.
/// (Kennedy and Allen, "Optimizing Compilers for Modern Architectures", 2001, 2.4.) Idempotent.
/// Counter: distribute-loops.loops.
absl::StatusOr<IRModule> DistributeLoops(const IRModule& module, const NoOptions& options,
                                         PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_DISTRIBUTE_LOOPS_H_
