#ifndef TENON_PASSES_FUSION_FOLD_CONSTANTS_H_
#define TENON_PASSES_FUSION_FOLD_CONSTANTS_H_

#include <cstdint>

#include "passes/pass.h"

namespace tenon {

struct FoldConstantsOptions {
  int64_t max_bytes = int64_t{64} << 20;
  /// A third of a second in the interpreter: the pipelines of compilers have up to three such
  /// passes.
  int64_t max_operations = 100'000'000;
  double max_growth = 2;

  static constexpr auto List() {
    using O = FoldConstantsOptions;
    return std::make_tuple(
        PassOption<O, int64_t>{"max-bytes", &O::max_bytes, "the largest result"},
        PassOption<O, int64_t>{"max-operations", &O::max_operations,
                               "operations of all folded statements together"},
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
/// are statements with calls, results above `max-bytes`, and runs that fail. The results may take
/// `max-growth` times the bytes of the constants that nobody else uses, and 1 KiB. Without an
/// evaluator in the PassContext nothing is folded.
///
/// All folded statements of the module together take at most `max-operations` (FoldOperations of
/// passes/fusion/fold_cost.h). Those with the most operations, which save most in every run, come
/// first. A note names the statements that stay, and the limit that folds them. Idempotent, unless
/// some stay. Counters: fold-constants.statements, fold-constants.bytes (of results),
/// fold-constants.operations, fold-constants.left (statements).
absl::StatusOr<IRModule> FoldConstants(const IRModule& module, const FoldConstantsOptions& options,
                                       PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_FOLD_CONSTANTS_H_
