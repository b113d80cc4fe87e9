#ifndef TENON_PASSES_LOOPS_ORDER_LOOPS_H_
#define TENON_PASSES_LOOPS_ORDER_LOOPS_H_

#include "passes/pass.h"

namespace tenon {

/// Interchanges the loops around one element that is stored, so that they run through memory in the
/// order of the stored elements. The element may be a sum with loops of its own.
///
///   before:
///     def f(x: T.Buffer((32768,), "float32"), y: T.Buffer((32768,), "float32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         for k, j, i in T.grid(64, 32, 16):
///             y[j * 1024 + i * 64 + k] = x[i * 2048 + j * 64 + k] + T.float32(1)
///   after:
///     def f(...):
///         ...
///         for j, i, k in T.grid(32, 16, 64):
///             y[j * 1024 + i * 64 + k] = x[i * 2048 + j * 64 + k] + T.float32(1)
///
/// - The iterations of different elements must be independent. The steps of a sum keep their order,
///   except for integers: these are added in another order if neighbouring steps then read
///   neighbours (vectorize-sums).
/// - Loops of a sum become the innermost ones. They become the outermost ones if the first cache
///   would lose lines of a buffer before all their elements are read, and holds the results.
/// - A nest with a sum stays if vectors would not hold 8 neighbouring results; 4, if no loop of the
///   nest has vectors. It does not stay if each iteration of the innermost loop stores in another
///   line of the cache, or if long sums of floats then run together (jam-loops). Loops of a sum
///   become innermost if the innermost loop reads rows, and stores blocks of a layout.
/// - A loop of at least 16 iterations that reads rows and stores blocks of a layout becomes the
///   innermost one around a sum of one element.
/// - A loop that a layout has in blocks, as in `y[o // 4, o % 4]`, becomes two loops. With blocks
///   of these blocks, it becomes three.
/// - The innermost loop stays if it runs through neighbouring elements of the stored buffer, or of
///   a buffer that is read. A loop of fewer than 8 iterations does not if another one fills
///   vectors.
/// - The nest stays if every order would lose lines of the first cache.
///
/// (Kennedy and Allen, "Optimizing Compilers for Modern Architectures", 2001, 5.2.) Idempotent.
/// Counter: order-loops.nests.
absl::StatusOr<IRModule> OrderLoops(const IRModule& module, const NoOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_ORDER_LOOPS_H_
