#ifndef TENON_PASSES_LOWERING_UNSIGNED_SUMS_H_
#define TENON_PASSES_LOWERING_UNSIGNED_SUMS_H_

#include "passes/pass.h"

namespace tenon {

/// Makes the storage of signed integers unsigned if a store adds to them. The IR's integers wrap,
/// but C's signed integers must not overflow, so C adds unsigned integers.
///
///   before:
///     def f(A: T.Buffer((16,), "int32"), B: T.Buffer((1,), "int32")):
///         s = T.allocate([1], "int32", "global")
///         s_1 = T.Buffer((1,), "int32", data=s)
///         s_1[0] = 0
///         for i in range(16):
///             s_1[0] = s_1[0] + A[i]
///         B[0] = T.max(s_1[0], 0)
///   after:
///     def f(...):
///         s = T.allocate([1], "uint32", "global")
///         s_1 = T.Buffer((1,), "uint32", data=s)
///         s_1[0] = T.uint32(0)
///         for i in range(16):
///             s_1[0] = s_1[0] + T.Cast("uint32", A[i])
///         B[0] = T.max(T.Cast("int32", s_1[0]), 0)
///
/// Without this pass, every step of a sum would be a conversion to unsigned and back. GCC 11, and
/// GCC 12 before 12.3, compile some of these loops incorrectly at -O3 (GCC bug 107212: the
/// vectorizer loses results of sums that are used both before and after the conversion).
///
/// The pass changes storage if its elements have 32 or 64 bits, all its accesses are scalars of one
/// dtype, and the address is used in no other way. The function defines the pointer, or it is the
/// pointer of a parameter's flat buffer of known size, to whose elements a loop adds repeatedly.
/// The type of a parameter is left unchanged: the function reads and writes the elements through a
/// second pointer, which a T.LetStmt binds. Sums are stores of `x[i] + y`, `x[i] - y` and
/// `x[i] * y`. Idempotent.
absl::StatusOr<IRModule> UnsignedSums(const IRModule& module, const NoOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_UNSIGNED_SUMS_H_
