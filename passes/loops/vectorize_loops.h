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

/// Computes several iterations of a loop at once, in vectors. The iterations must be independent
/// (analysis/loop_independence.h). The elements that they access must be adjacent, or the same for
/// all iterations. Inner loops are not split, so each lane adds up its own sum in the old order.
/// Results are the same, bit for bit.
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
/// The pass chooses the innermost such loop of a nest. The loop must be serial and have constant
/// bounds. Up to 16 iterations become one vector. More iterations become vectors whose lanes are
/// the largest power of two, 8 or more, that divides their number. Run inline-lets first, because
/// the pass does not analyse indices with variables of lets.
///
/// - A loop around a sum may leave a remainder, which becomes shorter vectors. The last vector may
///   compute some results again.
/// - The results of sums need not be adjacent in the output, as in `y[o // 4, o % 4]`: they are
///   then stored in rows, or one by one. Loaded elements of neighbouring iterations may be up to 4
///   elements apart.
/// - If an operand's layout has shorter blocks, as in `f[m // 4, k, m % 4]`, a vector covers one
///   block or a few.
/// - A loop over pixels and one over few channels, as in `y[w * 3 + c] = x[w * 3 + c] * f[c]`, are
///   computed as one loop, which picks the lanes of `f` from a row.
/// - Both values of `T.if_then_else` are computed if the elements that they load are known to be in
///   bounds. Both operands of `and` and `or` are computed.
/// - `max-lanes` applies to the widest type. Loops with `exp`, `erf` or `tanh` of float32 get at
///   most 16 lanes, because expand-math computes them in float64.
/// - Different parameters must be known to have different storage (`tir.noalias`).
/// - An allocation in the loop becomes a vector with a lane for each iteration, of at most 1,024
///   bytes. If it is on the stack, the limit is smaller, so the loop may get fewer lanes.
///
/// Idempotent.
absl::StatusOr<IRModule> VectorizeLoops(const IRModule& module,
                                        const VectorizeLoopsOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_VECTORIZE_LOOPS_H_
