#ifndef TENON_PASSES_FUSION_FUSE_NESTS_H_
#define TENON_PASSES_FUSION_FUSE_NESTS_H_

#include "passes/pass.h"

namespace tenon {

struct FuseNestsOptions {
  bool keep_blocks = false;
  bool keep_sums = false;

  static constexpr auto List() {
    return std::make_tuple(
        PassOption<FuseNestsOptions, bool>{
            "keep-blocks", &FuseNestsOptions::keep_blocks,
            "keep loops separate if jam-loops can run their iterations together"},
        PassOption<FuseNestsOptions, bool>{
            "keep-sums", &FuseNestsOptions::keep_sums,
            "keep nests of several sums separate, so that choose-blocks can give them blocks"});
  }
};

/// Moves a loop nest into the nest that produces its input. The buffer between them becomes a
/// scalar, or a block of elements inside the loop.
///
///   before:
///     def f(x: T.Buffer((32,), "int32"), y: T.Buffer((24,), "int8")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         total = T.allocate([24], "int32", "global")
///         total_1 = T.Buffer((24,), "int32", data=total)
///         for i, c in T.grid(6, 4):
///             total_1[i * 4 + c] = 0
///             for k in range(3):
///                 total_1[i * 4 + c] = total_1[i * 4 + c] + x[i * 4 + k * 4 + c]
///         for f in range(24):
///             y[f] = T.Cast("int8", T.max(T.min(total_1[f], 127), -128))
///   after:
///     def f(...):
///         ...
///         for i, c in T.grid(6, 4):
///             total = T.allocate([1], "int32", "global")
///             total_1 = T.Buffer((1,), "int32", data=total)
///             total_1[0] = 0
///             for k in range(3):
///                 total_1[0] = total_1[0] + x[i * 4 + k * 4 + c]
///             y[i * 4 + c] = T.Cast("int8", T.max(T.min(total_1[0], 127), -128))
///
/// The loops of the two nests have the same number of iterations, and iteration n of one follows
/// iteration n of the other. Elements that both nests access, and one of them writes, belong to the
/// same iteration of both. Each nest keeps its own order, so sums of floats are the same bit for
/// bit. A nest moves only if all accesses of a buffer are then in one nest, and the buffer becomes
/// smaller. Operators that read a whole window for each result, such as two convolutions, are not
/// fused.
///
/// A consumer whose loops differ can sink into its producers (`passes/fusion/sink_consumer.h`), if
/// it is the only reader of the buffer and reads each element once. Its value is then computed
/// where the element was stored, so layout changes and concatenations need no buffer: each part is
/// stored directly at its final index. A consumer sinks only if the allocations at the peak take no
/// more bytes than before. Idempotent.
///
/// Iterations that each compute a sum can run at once, in lanes. Fusing them with a loop whose
/// iterations depend on each other, such as another sum, would prevent this. The loops are not
/// fused in two cases:
///
/// - The buffer between the two is local, with at most 512 bytes.
/// - With `keep-blocks=true`, the plan cannot become larger, because the buffers in use together
///   with this one take no more bytes than the largest remaining buffer. `tenon compile` sets this
///   option if jam-loops follows.
///
/// With `keep-sums=true`, a nest of several sums does not move into another nest, so that
/// choose-blocks can compute it in blocks. The plan may become larger. `tenon compile` sets this
/// option if choose-blocks follows, except for targets with dot products in groups of lanes.
///
/// Counter: `fuse-nests.buffers`.
absl::StatusOr<IRModule> FuseNests(const IRModule& module, const FuseNestsOptions& options,
                                   PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_FUSE_NESTS_H_
