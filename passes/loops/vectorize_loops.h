#ifndef TENON_PASSES_LOOPS_VECTORIZE_LOOPS_H_
#define TENON_PASSES_LOOPS_VECTORIZE_LOOPS_H_

#include "passes/pass.h"

namespace tenon {

struct VectorizeLoopsOptions {
  int64_t max_lanes = 64;

  static constexpr auto List() {
    return std::make_tuple(PassOption<VectorizeLoopsOptions, int64_t>{
        "max-lanes", &VectorizeLoopsOptions::max_lanes, "lanes of the widest vectors, 4 to 64"});
  }
};

/// Computes iterations of a loop at once, in vectors. The iterations must be independent
/// (analysis/loop_independence.h). The elements that they access must be adjacent, or the same for
/// all iterations. Inner loops stay, so each lane has a sum of its own in the old order: results
/// are the same, bit for bit.
///
///   before `vectorize-loops,simplify`:
///     def f(x: T.Buffer((8,), "int32"), w: T.Buffer((128,), "int32"), y: T.Buffer((16,),
///         "int32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         for c in range(16):
///             s = T.allocate([1], "int32", "global")
///             s_1 = T.Buffer((1,), "int32", data=s)
///             s_1[0] = 0
///             for k in range(8):
///                 s_1[0] = s_1[0] + x[k] * w[k * 16 + c]
///             y[c] = s_1[0]
///   after:
///     def f(...):
///         ...
///         s = T.allocate([1], "int32x16", "global")
///         s_1 = T.Buffer((1,), "int32x16", data=s)
///         s_1[0] = T.Broadcast(0, 16)
///         for k in range(8):
///             s_1[0] = s_1[0] + w[k * 16:k * 16 + 16] * T.Broadcast(x[k], 16)
///         y[0:16] = s_1[0]
///
/// The pass takes the innermost such loop of a nest. It has constant bounds and is serial. Up to 16
/// iterations are one vector. More iterations are vectors of the largest power of two, 8 or more,
/// that divides their number. Indices with variables of lets stop the pass: run inline-lets before.
///
/// - A loop around a sum may have a rest, which gets shorter vectors; the last vector may compute
///   some results again.
/// - The results of sums may be apart in the output, as in `y[o // 4, o % 4]`: they are stored in
///   rows, or one by one. Loaded elements may be up to 4 places apart.
/// - A loop whose operands have shorter blocks, as `f[m // 4, k, m % 4]`, gets vectors of one or a
///   few blocks.
/// - A loop over places and one over few channels, as in `y[w * 3 + c] = x[w * 3 + c] * f[c]`, are
///   computed as one: lanes of `f` are picked from a row.
/// - Values of `T.if_then_else` are both computed if their elements are known to be in the buffer;
///   of two conditions, both are computed.
/// - `max-lanes` applies to the widest type. Loops with `exp`, `erf` or `tanh` of float32 have at
///   most 16 lanes: expand-math computes with float64.
/// - Storage of different parameters must be known to differ (`tir.noalias`).
/// - Allocations in the loop get a lane for each iteration, up to 1,024 bytes. If they stay on the
///   stack, it is less than that, and the loop has fewer lanes.
///
/// Idempotent.
absl::StatusOr<IRModule> VectorizeLoops(const IRModule& module,
                                        const VectorizeLoopsOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_VECTORIZE_LOOPS_H_
