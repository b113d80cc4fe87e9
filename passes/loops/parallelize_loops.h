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

/// Makes serial loops parallel. Their iterations must be independent, and must have enough work to
/// pay for a barrier. `tenon` runs this pass with `--parallel=threads|hook` after the other passes
/// for faster loops, which see serial loops only.
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
/// - The outermost loop of a nest is best. If it has fewer than `iterations` iterations, a loop
///   inside it is better, provided that one execution of that loop has `min-work` operations.
/// - Operations are arithmetic, loads and stores, without those of indices. A vector counts once
///   for each 64 bytes. A function of the C library counts as 20.
/// - Loops with annotations stay, and so do loops with bounds that are not constant.
/// - Loops next to parallel ones in the same nest stay.
///
/// Idempotent. Counter: parallelize-loops.loops.
absl::StatusOr<IRModule> ParallelizeLoops(const IRModule& module,
                                          const ParallelizeLoopsOptions& options,
                                          PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_PARALLELIZE_LOOPS_H_
