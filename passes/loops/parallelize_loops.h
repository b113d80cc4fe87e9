#ifndef TENON_PASSES_LOOPS_PARALLELIZE_LOOPS_H_
#define TENON_PASSES_LOOPS_PARALLELIZE_LOOPS_H_

#include "passes/pass.h"

namespace tenon {

struct ParallelizeLoopsOptions {
  /// About 10 us, which pay for a barrier.
  int64_t min_work = 160'000;
  int64_t iterations = 8;

  static constexpr auto List() {
    using O = ParallelizeLoopsOptions;
    return std::make_tuple(
        PassOption{"min-work", &O::min_work,
                   "least operations of a parallel loop; 160,000 take about 10 us. A vector "
                   "register is one operation"},
        PassOption{"iterations", &O::iterations, "iterations that are enough for all threads"});
  }
};

/// Makes serial loops parallel if their iterations are independent, and do enough work to pay for a
/// barrier. With `--parallel=threads|hook`, `tenon` runs this pass after the other passes for
/// faster loops, because those only transform serial loops.
///
///   before:
///     def f(x: T.Buffer((65536,), "float32"), w: T.Buffer((256,), "float32"),
///         y: T.Buffer((65536,), "float32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         for i, j in T.grid(256, 256):
///             y[i * 256 + j] = x[i * 256 + j] * w[j]
///         for i in range(256):
///             y[i] = y[i] + w[i]
///   after:
///     def f(...):
///         ...
///         for i in T.parallel(256):
///             for j in range(256):
///                 y[i * 256 + j] = x[i * 256 + j] * w[j]
///         for i in range(256):
///             y[i] = y[i] + w[i]
///
/// - The pass chooses the outermost loop of a nest. If that loop has fewer than `iterations`
///   iterations, it chooses a loop inside it, provided that one execution of the inner loop takes
///   at least `min-work` operations.
/// - Operations are arithmetic, loads and stores, except in indices. A vector counts as one
///   operation for each 64 bytes, and a function of the C library as 20.
/// - Loops with annotations or with bounds that are not constant are left unchanged.
/// - Loops next to parallel ones in the same nest are left unchanged.
///
/// Idempotent. Counter: parallelize-loops.loops.
absl::StatusOr<IRModule> ParallelizeLoops(const IRModule& module,
                                          const ParallelizeLoopsOptions& options,
                                          PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_PARALLELIZE_LOOPS_H_
