#ifndef TENON_PASSES_LOOPS_PACK_OPERANDS_H_
#define TENON_PASSES_LOOPS_PACK_OPERANDS_H_

#include "passes/pass.h"

namespace tenon {

/// Copies operands of sums into an order in which the elements for neighbouring results lie side by
/// side. In the product of a matrix and a transposed one, both operands are read along the sum; the
/// scores of attention are such a product. After the copy, vectors hold several results. Blocks of
/// an axis, as `m // 3` and `m % 3`, are one row of results. choose-blocks does the same for
/// constants, at compile time.
///
///   before:
///     def f(q: T.Buffer((1024,), "float32"), k: T.Buffer((2048,), "float32"), y: T.Buffer((512,),
///         "float32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         for i, j in T.grid(16, 32):
///             y[i * 32 + j] = T.float32(0)
///             for d in range(64):
///                 y[i * 32 + j] = y[i * 32 + j] + q[i * 64 + d] * k[j * 64 + d]
///   after:
///     def f(...):
///         ...
///         k_packed = T.allocate([2048], "float32", "global")
///         k_packed_1 = T.Buffer((2048,), data=k_packed)
///         for p, p_1 in T.grid(64, 32):
///             k_packed_1[p * 32 + p_1] = k[p + p_1 * 64]
///         for i, j in T.grid(16, 32):
///             y[i * 32 + j] = T.float32(0)
///             for d in range(64):
///                 y[i * 32 + j] = y[i * 32 + j] + q[i * 64 + d] * k_packed_1[d * 32 + j]
///
/// - The sum may be in the element that is stored, or in a local allocation that is stored later.
/// - The copy is made before the outermost loop. That loop must not change the operand, and must
///   use each element at least three times, or twice for 16 neighbouring sums of floats.
/// - The copy has no more elements than the loop reads. Windows that overlap stay.
/// - An operand that runs along other results is copied if the sum has at most 64 steps, and the
///   other operand suits the new order or is also copied.
/// - An operand of a sum of integers is copied in the order of the sum if the other operand runs
///   along the sum.
/// - An operand of a sum of integers that runs along the sum is copied in the order of the results
///   if the neighbouring steps of both operands do not fill a vector, or if there are at most 24
///   steps. Elements up to 4 places apart stay, unless each is used 16 times and the row has 16.
/// - An operand for fewer than 8 neighbouring results stays if it runs through 16 others:
///   pack-results takes their order.
/// - A constant that runs along the sum is copied only in the order of the sum, or if neighbouring
///   results do not share the other operand, as the channels of a depthwise convolution.
///   fold-constants then makes the copies of constants at compile time.
/// - Operands under conditions stay.
///
/// Results are the same bit for bit. Idempotent. Counter: pack-operands.copies.
absl::StatusOr<IRModule> PackOperands(const IRModule& module, const NoOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_PACK_OPERANDS_H_
