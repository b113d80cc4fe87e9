#ifndef TENON_PASSES_LOOPS_RFACTOR_H_
#define TENON_PASSES_LOOPS_RFACTOR_H_

#include "passes/pass.h"

namespace tenon {

/// Sums up elements that are far apart before elements that are neighbours. Vectors then hold sums
/// of neighbours until the end.
///
///   before:  for k in range(64):                   after:  for k, j in T.grid(64, 4):
///                y[k] = 0                                      y_rf[k * 4 + j] = 0
///                for i, j in T.grid(32, 4):                for i, k, j in T.grid(32, 64, 4):
///                    y[k] = y[k]                               y_rf[k * 4 + j] =
///                        + x[i * 256 + k * 4 + j]                  y_rf[k * 4 + j] + x[...]
///                                                          for k in range(64):
///                                                              y[k] = 0
///                                                              for j in range(4):
///                                                                  y[k] = y[k]
///                                                                      + y_rf[k * 4 + j]
///
/// Applies to sums, maxima and minima of integers with two to eight neighbours, whose results are
/// neighbours too, and at least eight elements that are far apart. The sums of neighbours take at
/// most 16 KiB. Sums wrap, so results are the same bit for bit. (Suriana, Adams and Kamil,
/// "Parallel Associative Reductions in Halide", 2017.) Idempotent. Counter: rfactor.sums.
absl::StatusOr<IRModule> Rfactor(const IRModule& module, const NoOptions& options,
                                 PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_RFACTOR_H_
