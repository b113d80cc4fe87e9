#ifndef TENON_PASSES_LOOPS_UNROLL_WINDOWS_H_
#define TENON_PASSES_LOOPS_UNROLL_WINDOWS_H_

#include "passes/pass.h"

namespace tenon {

/// Unrolls loops over a window that moves by two to four elements. Steps that read the elements
/// between each other's lanes then share the rows that they load.
///
///   before:
///     def f(x: T.Buffer((8,), "float32"), f: T.Buffer((2,), "float32"), y: T.Buffer((4,),
///         "float32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         for q in range(2):
///             y[0:4] = y[0:4] + x[q:q + 8:2] * T.Broadcast(f[q], 4)
///   after:
///     def f(...):
///         ...
///         y[0:4] = y[0:4] + T.Shuffle([x[0:8]], [0, 2, 4, 6]) * T.Broadcast(f[0], 4)
///         y[0:4] = y[0:4] + T.Shuffle([x[0:8]], [1, 3, 5, 7]) * T.Broadcast(f[1], 4)
///
/// - A loop counts from 0 and has at most six steps. It has no loops and no conditions in it.
/// - Loads from registers stay. The rows have no elements but those that the steps read. Steps at
///   the end of a window that are too few for a row keep their loads.
///
/// Idempotent. Counter: unroll-windows.loops.
absl::StatusOr<IRModule> UnrollWindows(const IRModule& module, const NoOptions& options,
                                       PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_UNROLL_WINDOWS_H_
