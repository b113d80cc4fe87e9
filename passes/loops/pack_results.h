#ifndef TENON_PASSES_LOOPS_PACK_RESULTS_H_
#define TENON_PASSES_LOOPS_PACK_RESULTS_H_

#include "passes/pass.h"

namespace tenon {

/// Computes results of sums in the order of the elements that they read, and copies them to their
/// places later. Vectors then hold several sums, and the copy moves tiles (transpose-tiles).
///
///   before:  for j, i in T.grid(64, 32):         after:  y_packed = T.allocate([2048])
///                y[j * 32 + i] = 0                       for j, i in T.grid(64, 32):
///                for k in range(16):                         y_packed[i * 64 + j] = 0
///                    y[j * 32 + i] = y[j * 32 + i]           for k in range(16):
///                        + x[k * 2048 + i * 64 + j]              y_packed[i * 64 + j] = ...
///                                                        for i, j in T.grid(32, 64):
///                                                            y[j * 32 + i] = y_packed[i * 64 + j]
///
/// A nest is changed if one loop runs through neighbours of each buffer that it reads, or through
/// elements that are up to four places apart, and another one through neighbours of the stored
/// buffer, which are far apart in a buffer that is read, or fewer than eight. The former has at
/// least 8 iterations, or 4 if each result has 16 steps. There are at least three steps for each
/// result, and eight if the results are set before the nest. Of more than 128 KiB of results, those
/// of one iteration of the outermost loops are copied at a time. All accesses to the stored buffer
/// are to the same element. Results are the same bit for bit. Idempotent. Counter:
/// pack-results.copies.
absl::StatusOr<IRModule> PackResults(const IRModule& module, const NoOptions& options,
                                     PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_PACK_RESULTS_H_
