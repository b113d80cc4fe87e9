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
        PassOption<O, int64_t>{"max-bytes", &O::max_bytes,
                               "the largest results of one group of statements"},
        PassOption<O, int64_t>{"max-operations", &O::max_operations,
                               "most operations of all folded statements together: nodes, times "
                               "the iterations of their loops"},
        PassOption<O, double>{"max-growth", &O::max_growth,
                              "results may take this many times the bytes of the constants that "
                              "nothing else uses, and 1 KiB more"});
  }
};

/// Runs statements whose inputs are constants at compile time, and turns their results into
/// constants, for example reordered, padded or widened weights. The pass looks at the outermost
/// statements of each function.
///
///   before:
///     def f(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
///         w = T.allocate_const([1, 2, 3, 4], "int32", [4])
///         w_1 = T.Buffer((4,), "int32", data=w)
///         t = T.allocate([4], "int32", "global")
///         t_1 = T.Buffer((4,), "int32", data=t)
///         for i in range(4):
///             t_1[i] = w_1[3 - i]
///         for i in range(4):
///             y[i] = x[i] * t_1[i]
///   after:
///     def f(...):
///         t = T.allocate_const([4, 3, 2, 1], "int32", [4])
///         for i in range(4):
///             t_1 = T.Buffer((4,), "int32", data=t)
///             y[i] = x[i] * t_1[i]
///
/// Statements that share memory are folded together or not at all. They are folded if they read
/// only constants, if their results are complete before any other statement reads them, and if no
/// other statement writes these results. Statements with calls or mathematical functions are left
/// unchanged, because the target's library may compute other last bits. So are statements whose run
/// fails.
///
/// The results may take up to 1 KiB more than `max-growth` times the bytes of the constants that
/// nothing else uses. A constant may have several names, such as the weights of an LSTM.
/// Idempotent, unless some statements are left.
///
/// A program that runs the pass through the library provides an evaluator
/// (`RunOptions::evaluator`), such as `interp/interpreter_evaluator.h`. Counters:
/// `fold-constants.statements`, `fold-constants.bytes`, `fold-constants.operations` and
/// `fold-constants.left` (statements left because of `max-operations`).
///
/// Groups with the most operations come first, because every run of the model saves these
/// operations. Groups that exceed what is left of `max-operations` are not folded, and a note names
/// their results and the limit that folds them all.
///
/// The limit counts operations and not time, so that a module is folded in the same way on every
/// machine. `tenon compile` folds up to three times, each time with the limit `--fold-limit`.
absl::StatusOr<IRModule> FoldConstants(const IRModule& module, const FoldConstantsOptions& options,
                                       PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_FOLD_CONSTANTS_H_
