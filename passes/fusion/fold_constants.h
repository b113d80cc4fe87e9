#ifndef TENON_PASSES_FUSION_FOLD_CONSTANTS_H_
#define TENON_PASSES_FUSION_FOLD_CONSTANTS_H_

#include <cstdint>

#include "passes/pass.h"

namespace tenon {

struct FoldConstantsOptions {
  int64_t max_bytes = int64_t{64} << 20;
  int64_t max_steps = 200'000'000;
  double max_growth = 2;

  static constexpr auto List() {
    using O = FoldConstantsOptions;
    return std::make_tuple(
        PassOption<O, int64_t>{"max-bytes", &O::max_bytes, "the largest result"},
        PassOption<O, int64_t>{"max-steps", &O::max_steps, "iterations of all statements together"},
        PassOption<O, double>{"max-growth", &O::max_growth,
                              "most bytes of results for each byte of constants that disappear"});
  }
};

/// Runs statements whose inputs are constants, and makes constants of what they compute.
///
///   before:  w = T.allocate_const([1, 2, 3, 4], "int32", [4])
///            t = T.allocate([4], "int32")                # weights in another order
///            for i in range(4):
///                t[i] = w[3 - i]
///            ...                                         # reads t
///   after:   t = T.allocate_const([4, 3, 2, 1], "int32", [4])
///            ...
///
/// It looks at the outermost statements of each function. Statements that write the same
/// allocations are folded together, or not at all. They may read only constants, all of them must
/// run before other statements read the allocations, and nothing else may write these. Not folded
/// are statements with calls, results above `max-bytes`, and runs that fail or exceed `max-steps`.
/// The results may take `max-growth` times the bytes of the constants that nobody else uses, and 1
/// KiB. Without an evaluator in the PassContext nothing is folded. Idempotent. Counters:
/// fold-constants.statements, fold-constants.bytes (of results).
absl::StatusOr<IRModule> FoldConstants(const IRModule& module, const FoldConstantsOptions& options,
                                       PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_FOLD_CONSTANTS_H_
