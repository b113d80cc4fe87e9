#ifndef TENON_PASSES_LOOPS_PARALLELIZE_LOOPS_H_
#define TENON_PASSES_LOOPS_PARALLELIZE_LOOPS_H_

#include "passes/pass.h"

namespace tenon {

struct ParallelizeLoopsOptions {
  /// About 10 us (docs/passes.md), which pay for a barrier.
  int64_t min_work = 160'000;
  int64_t iterations = 8;

  static constexpr auto List() {
    using O = ParallelizeLoopsOptions;
    return std::make_tuple(
        PassOption{"min-work", &O::min_work,
                   "least operations of a parallel loop; a vector register is one operation"},
        PassOption{"iterations", &O::iterations,
                   "iterations from which on a loop has enough for all threads"});
  }
};

/// Makes serial loops parallel, if their iterations are independent and have enough work to pay for
/// a barrier.
///
///   before:  for i in range(64):                   after:  for i in T.parallel(64):
///                for j in range(1024):                         for j in range(1024):
///                    y[i * 1024 + j] = x[i * 1024 + j]             y[i * 1024 + j] = ...
///
/// The outermost such loop of a nest is chosen. If it has fewer than `iterations` iterations, a
/// loop inside it is better, provided that one execution of the inner loop has `min-work`
/// operations. The work is the number of arithmetic operations, loads and stores, without those of
/// indices; a vector of more than 64 bytes counts as several, and a function of the C library as
/// 20. Loops with annotations, with bounds that are not constant, and loops that are next to
/// parallel ones in the same nest stay. Idempotent. Counter: parallelize-loops.loops.
absl::StatusOr<IRModule> ParallelizeLoops(const IRModule& module,
                                          const ParallelizeLoopsOptions& options,
                                          PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_PARALLELIZE_LOOPS_H_
