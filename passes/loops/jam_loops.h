#ifndef TENON_PASSES_LOOPS_JAM_LOOPS_H_
#define TENON_PASSES_LOOPS_JAM_LOOPS_H_

#include "passes/pass.h"

namespace tenon {

struct JamLoopsOptions {
  int64_t register_bytes = 1024;
  int64_t vector_bytes = 1024;
  int64_t scalar_bytes = 1024;
  int64_t max_copies = 8;
  bool scalars = false;

  static constexpr auto List() {
    return std::make_tuple(
        PassOption<JamLoopsOptions, int64_t>{"register-bytes", &JamLoopsOptions::register_bytes,
                                             "bytes of local allocations that stay in registers"},
        PassOption<JamLoopsOptions, int64_t>{"vector-bytes", &JamLoopsOptions::vector_bytes,
                                             "bytes of sums of vectors that stay in registers"},
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
/// inner loops read values that are the same for all of them only once. In a block of a
/// convolution's output, whose sums are all in registers, all sums share each vector of weights.
///
///   before:  for i in range(8):                   after:  for i in range(4):
///                sum_1[0] = zeros                             sum_1[0] = zeros
///                for k in range(16):                          sum_2[0] = zeros
///                    sum_1[0] = sum_1[0] + ...                for k in range(16):
///                        x[i * 16 + k] ... w[k]                   sum_1[0] = ... x[i * 32 + k]
///                y[i] = sum_1[0]                                  sum_2[0] = ...
///                                                                     x[i * 32 + 16 + k]
///                                                             y[i * 2] = sum_1[0]
///                                                             y[i * 2 + 1] = sum_2[0]
///
/// If a condition holds for all of these iterations, they run its branch together. Otherwise they
/// run one after the other.
///
/// With `scalars`, iterations may share a scalar or a condition instead of a vector.
///
/// The pass takes innermost loops with constant bounds that have a local allocation, and in whose
/// inner loops a load gives the same vector in all iterations. The number of iterations that run
/// together divides the number of all, unless a sum has 64 steps or more. Their allocations fit
/// `register-bytes`, the sums of vectors of their inner loops fit `vector-bytes`, and the scalar
/// sums of these loops `scalar-bytes`. Then it takes loops within which a sum of 64 steps or more
/// is made, as long as at most `max-copies` sums run together: the steps of one sum wait for each
/// other. Loops directly inside of each other count as one for a scalar sum, and iterations that
/// remain run together. Each iteration computes as before, bit for bit. For use after
/// vectorize-loops and promote-accumulators.
absl::StatusOr<IRModule> JamLoops(const IRModule& module, const JamLoopsOptions& options,
                                  PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_JAM_LOOPS_H_
