#ifndef TENON_EXAMPLES_PASSES_UNROLL_SHORT_LOOPS_H_
#define TENON_EXAMPLES_PASSES_UNROLL_SHORT_LOOPS_H_

#include "tenon/passes/pass.h"

namespace tenon {

struct UnrollShortLoopsOptions {
  int64_t most = 4;

  static constexpr auto List() {
    return std::make_tuple(
        PassOption{"most", &UnrollShortLoopsOptions::most, "most iterations of a short loop"});
  }
};

/// Marks serial loops with few iterations to be unrolled.
///
///   before:  for i in range(3):        after:  for i in T.unroll(3):
///
/// A second run changes nothing.
absl::StatusOr<IRModule> UnrollShortLoops(const IRModule& module,
                                          const UnrollShortLoopsOptions& options,
                                          PassContext& context);

}  // namespace tenon

#endif  // TENON_EXAMPLES_PASSES_UNROLL_SHORT_LOOPS_H_
