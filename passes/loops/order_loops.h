#ifndef TENON_PASSES_LOOPS_ORDER_LOOPS_H_
#define TENON_PASSES_LOOPS_ORDER_LOOPS_H_

#include "passes/pass.h"

namespace tenon {

/// Interchanges the loops around a store, so that they run through memory in the order of the
/// stored elements. A stored element may be a sum over inner loops.
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
/// - Iterations that store different elements must be independent. The steps of a sum keep their
///   order. Only sums of integers may be reordered, if neighbouring steps then read neighbouring
///   elements (vectorize-sums).
/// - The loops of a sum become the innermost ones. But if lines of a buffer would leave the L1
///   cache before all their elements are read, and the results fit in that cache, the loops of the
///   sum become the outermost ones.
/// - A nest with a sum is reordered only if the new order stores at least 8 neighbouring results in
///   vectors; 4 are enough if no loop of the nest has vectors now. There are two exceptions: each
///   iteration of the innermost loop stores in another cache line, or long sums of floats can run
///   together in the new order (jam-loops).
/// - If the innermost loop reads rows and stores blocks of a layout, the loops of a sum become
///   innermost.
/// - Around a sum of one element, a loop of at least 16 iterations that reads rows and stores
///   blocks of a layout becomes the innermost loop.
/// - A loop over a blocked axis of a layout, as in `y[o // 4, o % 4]`, becomes two loops. If the
///   blocks consist of smaller blocks, it becomes three.
/// - The innermost loop stays innermost if it runs through neighbouring elements of the stored
///   buffer or of a loaded one, unless it has fewer than 8 iterations and another loop fills
///   vectors.
/// - The nest is left unchanged if every order would lose lines of the L1 cache.
///
/// (Kennedy and Allen, "Optimizing Compilers for Modern Architectures", 2001, 5.2.) Idempotent.
/// Counter: order-loops.nests.
absl::StatusOr<IRModule> OrderLoops(const IRModule& module, const NoOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_ORDER_LOOPS_H_
