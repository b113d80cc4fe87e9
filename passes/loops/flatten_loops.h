#ifndef TENON_PASSES_LOOPS_FLATTEN_LOOPS_H_
#define TENON_PASSES_LOOPS_FLATTEN_LOOPS_H_

#include "passes/pass.h"

namespace tenon {

/// Makes one loop of two nested ones if no index tells them apart. Vectors of the new loop then
/// have no rest at the end of each row.
///
///   before `flatten-loops,simplify`:
///     def f(x: T.Buffer((39680,), "float32"), f: T.Buffer((256,), "float32"),
///         y: T.Buffer((39680,), "float32")):
///         for k, i, j in T.grid(256, 31, 5):
///             y[k * 155 + i * 5 + j] = x[k * 155 + i * 5 + j] * f[k]
///   after:
///     def f(...):
///         for k, j in T.grid(256, 155):
///             y[k * 155 + j] = x[k * 155 + j] * f[k]
///
/// - The outer loop's step in each index is the inner loop's step times its extent. Neighbouring
///   iterations store neighbours, or add neighbours to a sum of integers, or to a sum of floats of
///   at least 64 steps.
/// - Other uses of the variables, conditions for example, keep the loops apart. The iterations keep
///   their order.
/// - The loops are serial, and have constant bounds from 0.
///
/// (LLVM's loop-flatten.) Idempotent. Counter: flatten-loops.loops.
absl::StatusOr<IRModule> FlattenLoops(const IRModule& module, const NoOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_FLATTEN_LOOPS_H_
