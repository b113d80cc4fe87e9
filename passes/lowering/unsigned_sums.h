#ifndef TENON_PASSES_LOWERING_UNSIGNED_SUMS_H_
#define TENON_PASSES_LOWERING_UNSIGNED_SUMS_H_

#include "passes/pass.h"

namespace tenon {

/// Keeps signed integers in unsigned storage where a store adds to them. The IR's integers wrap,
/// but C's signed integers must not overflow, so C adds unsigned numbers.
///
///   before:  s[0] = s[0] + a[i] * b[i]
///            y[0] = T.max(s[0], 0)
///   after:   s[0] = s[0] + T.Cast("uint32", a[i] * b[i])
///            y[0] = T.max(T.Cast("int32", s[0]), 0)
///
/// Without this pass, every step of a sum would be a conversion to unsigned and back. GCC 11, and
/// GCC 12 before 12.3, compile some of these loops incorrectly at -O3 (GCC bug 107212: the
/// vectorizer loses results of sums that are used both before and after the conversion).
///
/// Storage changes if its elements have 32 or 64 bits, the function defines the pointer, all its
/// accesses are of scalars of one dtype, and its address goes nowhere else. Sums are stores of
/// `x[i] + y`, `x[i] - y` and `x[i] * y`. Idempotent.
absl::StatusOr<IRModule> UnsignedSums(const IRModule& module, const NoOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_UNSIGNED_SUMS_H_
