#ifndef TENON_PASSES_LOOPS_DIVIDED_LOOPS_H_
#define TENON_PASSES_LOOPS_DIVIDED_LOOPS_H_

#include "ir/module.h"

// Internal to choose-blocks: loops that compute sums and then use them.

namespace tenon {

/// Whether loops are divided whose sums then need memory of their own.
enum class Strips : bool { kNo, kYes };

struct DividedFunction {
  Function function;
  /// True if sums got memory.
  bool has_strips = false;
};

/// Divides loops that compute sums and then use them, if only the uses make the iterations depend
/// on each other (LLVM: LoopDistribute). The iterations of the first loop are then independent:
///
///   for t in range(128):                         for t in range(128):
///       w[t] = 0                                     w[t] = 0
///       for d in range(64):                          for d in range(64):
///           w[t] = w[t] + q[d] * k[t * 64 + d]           w[t] = w[t] + q[d] * k[t * 64 + d]
///       s[0] = T.max(s[0], w[t])                 for t in range(128):
///                                                    s[0] = T.max(s[0], w[t])
///
/// With strips, each iteration may keep its sum in an allocation of one element, as in a pooling of
/// the results of a convolution. A few iterations then store their sums in an array, and use them
/// afterwards. The array is on the stack, if three iterations or more fit there.
///
/// The statements stay in order for each element of memory. Functions of which vectors compute
/// several values at once (CallsArithmetic) count as sums. The result is `function` itself if it
/// has no such loop.
DividedFunction DivideLoops(Context& context, const Function& function, Strips strips);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_DIVIDED_LOOPS_H_
