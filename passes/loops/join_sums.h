#ifndef TENON_PASSES_LOOPS_JOIN_SUMS_H_
#define TENON_PASSES_LOOPS_JOIN_SUMS_H_

#include "passes/pass.h"

namespace tenon {

/// Adds up to four long sums of floats together, each in an array of a few elements, for C
/// compilers. GCC unrolls a short loop over such an array before it vectorises, and then forms slow
/// vectors from the steps. A loop with four sums is too large for that. Each step of a sum waits
/// for the step before it, but not for steps of other sums. Each sum keeps its order.
///
///   before:  for i in range(4):                  after:  sum = T.allocate([32], "float32")
///                sum = T.allocate([8], ...)              for j, c in T.grid(4, 8):
///                for c in range(8):                          sum_1[j * 8 + c] = 0
///                    sum_1[c] = 0                        for k in range(64):
///                for k in range(64):                         for c in range(8):
///                    for c in range(8):                          sum_1[c] = sum_1[c] + ...
///                        sum_1[c] = sum_1[c] + ...               sum_1[c + 8] = ...
///                for c in range(8):                              ...
///                    y[i * 8 + c] = sum_1[c]             for j, c in T.grid(4, 8):
///                                                            y[j * 8 + c] = sum_1[j * 8 + c]
///
/// The loop is independent (analysis/loop_independence.h) and has no conditions, which would be
/// copied. Arrays of all sums have at most 160 bytes.
IRModule JoinSums(const IRModule& module, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_JOIN_SUMS_H_
