#ifndef TENON_PASSES_LOOPS_FLATTEN_LOOPS_H_
#define TENON_PASSES_LOOPS_FLATTEN_LOOPS_H_

#include "passes/pass.h"

namespace tenon {

/// Merges two nested loops into one if every index combines their variables in the same way. A row
/// of the new loop is longer, so vectors leave no remainder at the end of each short row.
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
///   iterations store neighbouring elements, or add neighbouring elements to a sum of integers, or
///   to a sum of floats with at least 64 steps.
/// - Loops whose variables have other uses, for example in conditions, are not merged. The
///   iterations keep their order.
/// - The loops must be serial, start at 0, and have constant extents.
///
/// (LLVM's loop-flatten.) Idempotent. Counter: flatten-loops.loops.
absl::StatusOr<IRModule> FlattenLoops(const IRModule& module, const NoOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_FLATTEN_LOOPS_H_
