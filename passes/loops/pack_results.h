#ifndef TENON_PASSES_LOOPS_PACK_RESULTS_H_
#define TENON_PASSES_LOOPS_PACK_RESULTS_H_

#include "passes/pass.h"

namespace tenon {

/// Computes results of sums in the order of the elements that they read, and copies them to their
/// places later. Vectors then hold several sums, and the copy moves tiles (transpose-tiles).
///
///   before:
///     def f(x: T.Buffer((32768,), "float32"), y: T.Buffer((2048,), "float32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         for j, i in T.grid(64, 32):
///             y[j * 32 + i] = T.float32(0)
///             for k in range(16):
///                 y[j * 32 + i] = y[j * 32 + i] + x[k * 2048 + i * 64 + j]
///   after:
///     def f(...):
///         ...
///         y_packed = T.allocate([2048], "float32", "global")
///         y_packed_1 = T.Buffer((2048,), data=y_packed)
///         for j, i in T.grid(64, 32):
///             y_packed_1[i * 64 + j] = T.float32(0)
///             for k in range(16):
///                 y_packed_1[i * 64 + j] = y_packed_1[i * 64 + j] + x[k * 2048 + i * 64 + j]
///         for p, p_1 in T.grid(32, 64):
///             y[p + p_1 * 32] = y_packed_1[p * 64 + p_1]
///
/// - One loop runs through neighbours of the buffers that are read, or through elements that are up
///   to 4 places apart. It has at least 8 iterations, or 4 if each result has 16 steps. Another
///   loop runs through neighbours of the stored buffer, and through far elements of a buffer that
///   is read. Or it has fewer than 8 iterations, and the first one runs through neighbours of such
///   a buffer.
/// - Of several such loops, the one whose results are stored closest together is best, if all have
///   16 iterations.
/// - Each result has at least three steps, and at least eight if it is set before the nest. All
///   accesses to the stored buffer are to that result.
/// - The results take at most 128 KiB. Of more results, those of one iteration of the outermost
///   loops are copied at a time, if the new rows have 16 of them. The nest has no conditions, and
///   its bounds are constants.
///
/// Results are the same bit for bit. Idempotent. Counter: pack-results.copies.
absl::StatusOr<IRModule> PackResults(const IRModule& module, const NoOptions& options,
                                     PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_PACK_RESULTS_H_
