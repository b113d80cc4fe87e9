#ifndef TENON_PASSES_LOOPS_SUMS_IN_LANES_H_
#define TENON_PASSES_LOOPS_SUMS_IN_LANES_H_

#include "passes/pass.h"

namespace tenon {

struct SumsInLanesOptions {
  int64_t max_lanes = 64;
  int64_t max_bytes = 256;

  static constexpr auto List() {
    return std::make_tuple(
        PassOption<SumsInLanesOptions, int64_t>{
            "max-lanes", &SumsInLanesOptions::max_lanes,
            "iterations of the longest loop that goes inside, 4 to 1024"},
        PassOption<SumsInLanesOptions, int64_t>{
            "max-bytes", &SumsInLanesOptions::max_bytes,
            "the largest allocation that iterations have together"});
  }
};

/// Interchanges loops: a loop of independent iterations moves, in blocks, into the loops of its
/// body. It becomes the innermost loop, which C compilers vectorise, and conditions enclose a whole
/// block. For LLVM, vectorize-loops does the same with vectors.
///
/// - Neighbouring short loops, of at most 16 iterations, become one loop if its iterations are
///   independent. Such loops are rows of pixels that the module contains unrolled.
/// - Up to four sums of floats with 64 or more steps share one array, if each is an array of a few
///   elements, because each step of a single sum would wait for the step before it. If the loop
///   were short, a C compiler would unroll it and form slow vectors from its steps.
///
///   before:
///     def f(x: T.Buffer((8,), "int32"), w: T.Buffer((128,), "int32"), y: T.Buffer((16,),
///         "int32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         for c in range(16):
///             total = T.allocate([1], "int32", "global")
///             total_1 = T.Buffer((1,), "int32", data=total)
///             total_1[0] = 0
///             for k in range(8):
///                 total_1[0] = total_1[0] + x[k] * w[k * 16 + c]
///             y[c] = total_1[0]
///   after:
///     def f(...):
///         ...
///         total = T.allocate([16], "int32", "global")
///         total_1 = T.Buffer((16,), "int32", data=total)
///         for c in range(16):
///             total_1[c] = 0
///         for k, c in T.grid(8, 16):
///             total_1[c] = total_1[c] + x[k] * w[k * 16 + c]
///         for c in range(16):
///             y[c] = total_1[c]
///
/// The pass chooses the innermost such loop of a nest. In the inner loops, its iterations access
/// neighbouring elements, or all access the same element. Each sum keeps its order, so results are
/// the same, bit for bit. Idempotent.
absl::StatusOr<IRModule> SumsInLanes(const IRModule& module, const SumsInLanesOptions& options,
                                     PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_SUMS_IN_LANES_H_
