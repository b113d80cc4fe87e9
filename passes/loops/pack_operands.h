#ifndef TENON_PASSES_LOOPS_PACK_OPERANDS_H_
#define TENON_PASSES_LOOPS_PACK_OPERANDS_H_

#include "passes/pass.h"

namespace tenon {

/// Copies operands of sums into an order in which the elements for neighbouring results lie side by
/// side. Vectors then hold several results. In the product of a matrix and a transposed one, such
/// as the scores of attention, both operands are read along the sum.
///
///   before:  for i, j in T.grid(64, 32):           after:  k_packed = T.allocate([2048])
///                y[i * 32 + j] = 0                         for d, j in T.grid(64, 32):
///                for d in range(64):                           k_packed[d * 32 + j] =
///                    y[i * 32 + j] = y[i * 32 + j] +               k[j * 64 + d]
///                        q[i * 64 + d] * k[j * 64 + d]     for i, j in T.grid(64, 32):
///                                                              ... q[i * 64 + d] *
///                                                                  k_packed[d * 32 + j]
///
/// An operand of a sum of floats may run along the sum. An operand of any sum of at most 64 steps
/// may run along other results, if the other operand suits the new order. Operands of sums of
/// integers are copied in the order of the sum if the other operand runs along the sum. They are
/// copied in the order of the results if the sum has few steps, or fills no vector. Elements that
/// are up to four places apart need many uses.
///
/// An operand is copied before the outermost loop, if that loop does not change it and uses each
/// element at least three times; twice for 16 neighbouring sums of floats. The copy has no more
/// elements than the loop reads. Constants that run along a sum are copied only in the order of a
/// sum, or if neighbouring results do not share the other factor. Operands under conditions stay.
/// Results are the same bit for bit. Idempotent. Counter: pack-operands.copies.
absl::StatusOr<IRModule> PackOperands(const IRModule& module, const NoOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_PACK_OPERANDS_H_
