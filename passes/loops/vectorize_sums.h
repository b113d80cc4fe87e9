#ifndef TENON_PASSES_LOOPS_VECTORIZE_SUMS_H_
#define TENON_PASSES_LOOPS_VECTORIZE_SUMS_H_

#include "passes/pass.h"

namespace tenon {

/// Vectors along a sum have at least this number of lanes, and the number of lanes divides a loop.
inline constexpr int64_t kFewestSumLanes = 8;

struct VectorizeSumsOptions {
  int64_t max_lanes = 64;
  bool pairs = false;
  bool quads = false;

  static constexpr auto List() {
    using O = VectorizeSumsOptions;
    return std::make_tuple(
        PassOption{"max-lanes", &O::max_lanes, "lanes of the widest vectors, 8 to 64"},
        PassOption{"pairs", &O::pairs, "add up products of 8 and 16 bits in pairs, for PMADDWD"},
        PassOption{"quads", &O::quads,
                   "add up products of uint8 and int8 four at a time, for VPDPBUSD"});
  }
};

/// Computes sums, maxima and minima of integers over several loops in vectors along one of the
/// loops. Each lane adds up its own sum, and halves of the vector are added at the end. Integer
/// sums wrap, so their order does not matter. A maximum of values that are cast to a wider type is
/// computed in the narrower type.
///
///   before `vectorize-sums,simplify`:
///     def f(x: T.Buffer((384,), "int8"), w: T.Buffer((480,), "int8"), y: T.Buffer((1,), "int32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         for l, k in T.grid(48, 8):
///             y[0] = y[0] + T.Cast("int32", x[l * 8 + k]) * T.Cast("int32", w[l * 10 + k])
///   after:
///     def f(...):
///         ...
///         y_4[0] = T.Broadcast(0, 8)
///         for l in range(48):
///             y_4[0] = T.Cast("int32x8", w[l * 10:l * 10 + 8]) * T.Cast("int32x8",
///                 x[l * 8:l * 8 + 8]) + y_4[0]
///         ...
///         y_5[0] = T.Shuffle([y_4[0]], [0, 1, 2, 3]) + T.Shuffle([y_4[0]], [4, 5, 6, 7])
///         ...
///         y_6[0] = T.Shuffle([y_5[0]], [2, 3]) + T.Shuffle([y_5[0]], [0, 1])
///         y[0] = y[0] + T.Shuffle([y_6[0]], [0]) + T.Shuffle([y_6[0]], [1])
///
/// - Neighbouring lanes load neighbouring elements, or the same element. The number of lanes, 8 to
///   `max-lanes` (default 64), divides the extent of the loop.
/// - A single loop of 64 to 511 steps that is not a multiple of 16 is split into vectors of 16, 8
///   and 4 lanes and a scalar remainder. So is an innermost loop of 12, 20 or 28 steps, because no
///   other number of lanes fits it.
/// - A single loop of 512 steps or more is left unchanged, because back ends vectorise it. LLVM
///   unrolls shorter loops before it vectorises. Loops of 128 steps or more, a multiple of 16, are
///   also left unchanged if they add products of short integers of the same signedness. The same
///   holds for 64 steps or more if LLVM adds these products in pairs.
/// - With `pairs=true`, a lane adds two neighbouring products of integers of 8 or 16 bits in each
///   step, with one load and one instruction of x86 (`PMADDWD`). A byte minus a constant is
///   computed in 16 bits. Pipelines for x86 set this option.
/// - With `quads=true`, a lane adds four neighbouring products of uint8 and int8 in each step, also
///   in long loops, with `VPDPBUSD` of x86, or `USDOT` and `SDOT` of AArch64. Pipelines for
///   processors with these instructions set this option.
/// - The pass runs after vectorize-loops, because vectors along other loops need no sum over their
///   lanes.
///
/// Idempotent. Counter: vectorize-sums.sums.
absl::StatusOr<IRModule> VectorizeSums(const IRModule& module, const VectorizeSumsOptions& options,
                                       PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_VECTORIZE_SUMS_H_
