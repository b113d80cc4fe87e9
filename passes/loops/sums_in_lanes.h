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

/// Puts a loop of independent iterations inside of the loops that each of them runs, in blocks. C
/// compilers compute innermost loops in vectors, and conditions stand around a block instead of in
/// each sum. Each sum keeps its order, so that results are the same, bit for bit.
///
///   before:  for c in range(16):                  after:  sum = T.allocate([16], "int32")
///                sum = T.allocate([1], "int32")           for c in range(16):
///                sum_1[0] = 0                                 sum_1[c] = 0
///                for k in range(8):                       for k in range(8):
///                    sum_1[0] = sum_1[0] +                    for c in range(16):
///                        x[k] * w[k * 16 + c]                     sum_1[c] = sum_1[c] + ...
///                y[c] = sum_1[0]                          for c in range(16):
///                                                             y[c] = sum_1[c]
///
/// Short innermost loops side by side become one where its iterations are independent: rows of
/// pixels that the text unrolls. Then long sums of floats are joined (join_sums.h).
///
/// The pass takes the innermost such loop of a nest. Its iterations access elements side by side in
/// the inner loops, or all the same element. vectorize-loops does the same with vectors, for LLVM.
/// Idempotent.
absl::StatusOr<IRModule> SumsInLanes(const IRModule& module, const SumsInLanesOptions& options,
                                     PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_SUMS_IN_LANES_H_
