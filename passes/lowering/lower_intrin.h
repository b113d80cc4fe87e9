#ifndef TENON_PASSES_LOWERING_LOWER_INTRIN_H_
#define TENON_PASSES_LOWERING_LOWER_INTRIN_H_

#include "passes/pass.h"

namespace tenon {

struct LowerIntrinOptions {
  /// Expand popcount and clz to shifts and masks, for targets without such instructions or
  /// builtins.
  bool expand_bits = true;

  static constexpr auto List() {
    return std::make_tuple(PassOption<LowerIntrinOptions, bool>{
        "expand-bits", &LowerIntrinOptions::expand_bits, "write popcount and clz as bit masks"});
  }
};

/// Replaces operations that are neither operators nor `<math.h>` functions of C by operations that
/// are. No pipeline of `tenon` runs this pass, because the runtime header defines functions for
/// these operations.
///
///   before:
///     def f(A: T.Buffer((16,), "int32"), n: T.int32):
///         for i in range(16):
///             A[i] = (i - 3) // 5 + n % 8
///             A[i] = T.q_multiply_shift(A[i], 1395864371, 31, -7)
///   after:
///     def f(...):
///         for i in range(16):
///             A[i] = T.Div(i - 3 + 5, 5) - 1 + T.bitwise_and(n, 7)
///             A[i] = T.Cast("int32", T.shift_right(T.Cast("int64",
///                 A[i]) * T.int64(1395864371) + T.int64(137438953472), T.int64(38)))
///
/// - FloorDiv and FloorMod become Div and Mod, or a shift and a mask if the divisor is a power of
///   two. If the dividend is provably not negative, the truncated result is right. If it has a
///   lower bound, a multiple of the divisor is added to it first. Otherwise the truncated result is
///   corrected afterwards. `x % y == 0` tests the truncated remainder, which is 0 for the same x.
/// - q_multiply_shift and q_multiply_shift_per_axis become 64-bit integer arithmetic with the same
///   bits as in TVM: half is rounded up, and a multiplier of 2^30 uses 32-bit shifts.
/// - sigmoid, rsqrt, exp10, isnan, isinf, isfinite, dp4a and large_uint_imm become arithmetic, and
///   so do popcount and clz with `expand-bits`; clz(0) is the width. Rounding functions of integers
///   become their argument, and fabs becomes a Select. likely(c) becomes c, assume(c) is removed,
///   and undef() becomes zero.
///
/// Values used more than once are bound by T.Let. Supports scalars and vectors. Idempotent. (TVM:
/// LowerIntrin and the default intrinsic rules.)
absl::StatusOr<IRModule> LowerIntrin(const IRModule& module, const LowerIntrinOptions& options,
                                     PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_LOWER_INTRIN_H_
