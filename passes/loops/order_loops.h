#ifndef TENON_PASSES_LOOPS_ORDER_LOOPS_H_
#define TENON_PASSES_LOOPS_ORDER_LOOPS_H_

#include "passes/pass.h"

namespace tenon {

/// Interchanges the loops around one element that is stored, so that they run through memory in the
/// order of the elements. The element may be a sum with loops of its own. The innermost loop stays
/// if it runs through neighbouring elements of any buffer.
///
///   before:  for k in range(64):                   after:  for j in range(32):
///                for j in range(32):                           for i in range(16):
///                    for i in range(16):                           for k in range(64):
///                        y[j, i, k] = x[j, k, i] + 1                   y[j, i, k] = x[j, k, i] + 1
///
/// A loop that a layout has in blocks, as in `y[o // 4, o % 4]`, becomes two, or the innermost one
/// around a sum of one element, if it reads rows. The iterations of different elements must be
/// independent. Loops of a sum become the innermost ones, in their order; if lines of a buffer
/// would then leave the first cache before all their elements are read, and that cache holds the
/// results, they become the outermost ones. Sums of integers wrap, so the order of their steps does
/// not matter. A nest stays if every order would lose lines. It also stays if vectors would not
/// hold several neighbouring sums, unless long sums can then run together (jam-loops), or each step
/// now stores in another line. (Kennedy and Allen, "Optimizing Compilers for Modern Architectures",
/// 2001, 5.2.) Idempotent. Counter: order-loops.nests.
absl::StatusOr<IRModule> OrderLoops(const IRModule& module, const NoOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_ORDER_LOOPS_H_
