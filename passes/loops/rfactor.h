#ifndef TENON_PASSES_LOOPS_RFACTOR_H_
#define TENON_PASSES_LOOPS_RFACTOR_H_

#include "passes/pass.h"

namespace tenon {

/// Sums up elements that are far apart before elements that are neighbours. Vectors then hold sums
/// of neighbours until the end, where the lanes of each result are added up once.
///
///   before:
///     def f(x: T.Buffer((8192,), "int8"), y: T.Buffer((64,), "int32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         for k in range(64):
///             y[k] = 0
///             for i, j in T.grid(32, 4):
///                 y[k] = y[k] + T.Cast("int32", x[i * 256 + k * 4 + j])
///   after:
///     def f(...):
///         ...
///         y_rf = T.allocate([256], "int32", "global")
///         y_rf_1 = T.Buffer((256,), "int32", data=y_rf)
///         for k, j in T.grid(64, 4):
///             y_rf_1[k * 4 + j] = 0
///         for i, k, j in T.grid(32, 64, 4):
///             y_rf_1[k * 4 + j] = y_rf_1[k * 4 + j] + T.Cast("int32", x[i * 256 + k * 4 + j])
///         for k in range(64):
///             y[k] = 0
///             for j in range(4):
///                 y[k] = y[k] + y_rf_1[k * 4 + j]
///
/// - Sums, maxima and minima of integers. Sums wrap, so their steps may have another order.
/// - Each result has two to eight neighbours, and the next result continues with the next
///   neighbours. At least eight steps are far apart.
/// - The sums of neighbours take 128 bytes to 16 KiB. The values must not depend on what the loops
///   store.
///
/// (Suriana, Adams and Kamil, "Parallel Associative Reductions in Halide", 2017.) Idempotent.
/// Counter: rfactor.sums.
absl::StatusOr<IRModule> Rfactor(const IRModule& module, const NoOptions& options,
                                 PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_RFACTOR_H_
