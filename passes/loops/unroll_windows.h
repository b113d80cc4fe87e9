#ifndef TENON_PASSES_LOOPS_UNROLL_WINDOWS_H_
#define TENON_PASSES_LOOPS_UNROLL_WINDOWS_H_

#include "passes/pass.h"

namespace tenon {

/// Unrolls loops over a window that moves by two to four elements. Steps that read the elements
/// between each other's lanes then share the rows that they load.
///
///   before:  for q in range(2):                    after:  s[0] = s[0] + T.Shuffle(
///                s[0] = s[0] + x[q:q + 8:2]                    [x[0:8]], [0, 2, 4, 6])
///                                                          s[0] = s[0] + T.Shuffle(
///                                                              [x[0:8]], [1, 3, 5, 7])
///
/// A loop has at most six steps, no loops and no conditions in it, and counts from 0. Loads move by
/// one element in each step. The rows have no elements but those that the steps read. Idempotent.
/// Counter: unroll-windows.loops.
absl::StatusOr<IRModule> UnrollWindows(const IRModule& module, const NoOptions& options,
                                       PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_UNROLL_WINDOWS_H_
