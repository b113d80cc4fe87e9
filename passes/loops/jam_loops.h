#ifndef TENON_PASSES_LOOPS_JAM_LOOPS_H_
#define TENON_PASSES_LOOPS_JAM_LOOPS_H_

#include "passes/pass.h"

namespace tenon {

struct JamLoopsOptions {
  int64_t register_bytes = 1024;
  int64_t vector_bytes = 1024;
  int64_t least_bytes = 0;
  int64_t scalar_bytes = 1024;
  int64_t max_copies = 8;
  bool scalars = false;

  static constexpr auto List() {
    return std::make_tuple(
        PassOption<JamLoopsOptions, int64_t>{"register-bytes", &JamLoopsOptions::register_bytes,
                                             "bytes of local allocations that stay in registers"},
        PassOption<JamLoopsOptions, int64_t>{"vector-bytes", &JamLoopsOptions::vector_bytes,
                                             "bytes of sums of vectors that stay in registers"},
        PassOption<JamLoopsOptions, int64_t>{"least-bytes", &JamLoopsOptions::least_bytes,
                                             "bytes of a register, which a shorter vector fills"},
        PassOption<JamLoopsOptions, int64_t>{
            "scalar-bytes", &JamLoopsOptions::scalar_bytes,
            "bytes of scalar sums that stay in registers, next to those of vectors"},
        PassOption<JamLoopsOptions, int64_t>{"max-copies", &JamLoopsOptions::max_copies,
                                             "the most iterations that run together"},
        PassOption<JamLoopsOptions, bool>{"scalars", &JamLoopsOptions::scalars,
                                          "iterations may also share scalars and conditions: for "
                                          "processors without vectors"});
  }
};

/// Runs several iterations of an independent loop (analysis/loop_independence.h) together, so that
/// inner loops load a value that all of them use only once. In a convolution, a block of outputs
/// keeps its sums in registers, and all sums share each vector of weights.
///
///   before `jam-loops{max-copies=2 vector-bytes=32}`:
///     def f(x: T.Buffer((64,), "int32"), w: T.Buffer((64,), "int32"),
///           y: T.Buffer((16,), "int32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         for i in range(4):
///             s = T.allocate([1], "int32x4", "global", annotations={"candidate_memory_pools": []})
///             s_1 = T.Buffer((1,), "int32x4", data=s)
///             s_1[0] = T.Broadcast(0, 4)
///             for k in range(16):
///                 s_1[0] = s_1[0] + T.Broadcast(x[i * 16 + k], 4) * w[k * 4:k * 4 + 4]
///             y[i * 4:i * 4 + 4] = s_1[0]
///   after:
///     def f(...):
///         ...
///         for i in range(2):
///             ...
///             for k in range(16):
///                 s_1_1[0] = s_1_1[0] + T.Broadcast(x[i * 2 * 16 + k], 4) * w[k * 4:k * 4 + 4]
///                 s_1_2[0] = s_1_2[0] + T.Broadcast(x[(i * 2 + 1) * 16 + k], 4) * w[k * 4:
///                     k * 4 + 4]
///             y[i * 2 * 4:i * 2 * 4 + 4] = s_1_1[0]
///             y[(i * 2 + 1) * 4:(i * 2 + 1) * 4 + 4] = s_1_2[0]
///
/// If a condition holds for all of these iterations, they run its branch together. Otherwise, all
/// but the first and the last may run together, because at the border of a convolution only these
/// two have taps outside. If that also fails, they run one after the other.
///
/// With `scalars`, iterations may share a scalar or a condition instead of a vector. Each step of a
/// long sum of floats waits for the step before it, so several such sums also run together if they
/// share nothing.
///
/// The pass first chooses innermost loops with constant bounds and a local allocation, if a load in
/// their inner loops returns the same vector in all iterations:
///
/// - The number of iterations that run together divides the extent of the loop, unless a sum has 64
///   steps or more.
/// - The allocations of these iterations fit in `register-bytes`. In their inner loops, the sums of
///   vectors fit in `vector-bytes`, and scalar sums in `scalar-bytes`.
///
/// Then it chooses loops around a sum of 64 steps or more, as long as at most `max-copies` sums run
/// together. For a scalar sum, loops directly inside of each other count as one, and the remaining
/// iterations also run together. Each iteration computes as before, bit for bit. Run this pass
/// after vectorize-loops and promote-accumulators.
absl::StatusOr<IRModule> JamLoops(const IRModule& module, const JamLoopsOptions& options,
                                  PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_JAM_LOOPS_H_
