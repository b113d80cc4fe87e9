#ifndef TENON_PASSES_LOOPS_FLATTEN_LOOPS_H_
#define TENON_PASSES_LOOPS_FLATTEN_LOOPS_H_

#include "passes/pass.h"

namespace tenon {

/// Makes one loop of two nested ones if no index tells them apart: the outer loop's step in each
/// index is the inner loop's step times its extent.
///
///   before:  for i in range(31):                       after:  for i in range(155):
///                for j in range(5):                                y[i] = x[i] * 2
///                    y[i * 5 + j] = x[i * 5 + j] * 2
///
/// The loops are serial and have constant bounds from 0; only indices mention their variables.
/// Neighbouring iterations store neighbours, or add neighbours to a sum of integers, or to one of
/// floats of at least 64 steps. The iterations keep their order. (LLVM's loop-flatten.) Idempotent.
/// Counter: flatten-loops.loops.
absl::StatusOr<IRModule> FlattenLoops(const IRModule& module, const NoOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_FLATTEN_LOOPS_H_
