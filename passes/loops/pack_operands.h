#ifndef TENON_PASSES_LOOPS_PACK_OPERANDS_H_
#define TENON_PASSES_LOOPS_PACK_OPERANDS_H_

#include "passes/pass.h"

namespace tenon {

/// Copies operands of sums of floats into an order in which the elements for neighbouring results
/// lie side by side. Vectors then hold several results. In the product of a matrix and a transposed
/// one, such as the scores of attention, both operands are read along the sum.
///
///   before:  for i, j in T.grid(64, 32):           after:  k_packed = T.allocate([2048])
///                y[i * 32 + j] = 0                         for d, j in T.grid(64, 32):
///                for d in range(64):                           k_packed[d * 32 + j] = k[j * 64 +
///                d]
///                    y[i * 32 + j] = y[i * 32 + j] +       for i, j in T.grid(64, 32):
///                        q[i * 64 + d] * k[j * 64 + d]         ... q[i * 64 + d] * k_packed[d * 32
///                        + j]
///
/// An operand is copied before the outermost loop, if that loop does not change it and uses each
/// element at least eight times. The copy has no more elements than the loop reads. Operands that
/// are constants, or under conditions, stay. Results are the same bit for bit. Idempotent. Counter:
/// pack-operands.copies.
absl::StatusOr<IRModule> PackOperands(const IRModule& module, const NoOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_PACK_OPERANDS_H_
