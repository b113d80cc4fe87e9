#ifndef TENON_PASSES_LOOPS_NARROW_LANES_H_
#define TENON_PASSES_LOOPS_NARROW_LANES_H_

#include "passes/pass.h"

namespace tenon {

/// Computes stored vectors of small integers in lanes of 16 bits if the module computes them in 32
/// bits, so that registers hold twice as many lanes.
///
///   before:
///     def f(x: T.Buffer((32,), "uint8"), y: T.Buffer((32,), "int8")):
///         y[0:32] = T.Cast("int8x32", T.min(T.shift_right(T.Cast("int32x32",
///             x[0:32]) * T.Broadcast(77, 32), T.Broadcast(4, 32)), T.Broadcast(127, 32)))
///   after:
///     def f(...):
///         y[0:32] = T.Cast("int8x32", T.min(T.shift_right(T.Cast("int16x32",
///             x[0:32]) * T.Broadcast(T.int16(77), 32), T.Broadcast(T.int16(4), 32)),
///             T.Broadcast(T.int16(127), 32)))
///
/// - The ranges of the loaded types must prove that all intermediate values fit in int16. In this
///   example, they are at most 19,635.
/// - The store may contain sums, differences, products, minima, maxima, shifts to the right by a
///   constant, and `T.Select`. With any other operation, it is left unchanged.
///
/// Idempotent. Counter: narrow-lanes.stores.
absl::StatusOr<IRModule> NarrowLanes(const IRModule& module, const NoOptions& options,
                                     PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_NARROW_LANES_H_
