#ifndef TENON_PASSES_LOWERING_LOWER_INTRIN_H_
#define TENON_PASSES_LOWERING_LOWER_INTRIN_H_

#include "passes/pass.h"

namespace tenon {

struct LowerIntrinOptions {
  /// Write popcount and clz as shifts and masks, for targets without such instructions or builtins.
  bool expand_bits = true;

  static constexpr auto List() {
    return std::make_tuple(PassOption<LowerIntrinOptions, bool>{
        "expand-bits", &LowerIntrinOptions::expand_bits, "write popcount and clz as bit masks"});
  }
};

/// Replaces what C has no operator or <math.h> function for by what it has.
///
///   before:  A[i] = T.floormod(j - 3, 5)          after:  A[i] = T.truncmod(j - 3 + 5, 5)
///            B[i] = T.sigmoid(x)                          B[i] = 1 / (1 + T.exp(0 - x))
///
/// - FloorDiv and FloorMod become Div and Mod: by a power of two a shift and a mask; as they are
///   where the dividend is proven not negative; shifted by a multiple of the divisor where it has a
///   lower bound; else with a correction of the truncated result. `x % y == 0` is decided on the
///   truncated remainder, which is 0 for the same x.
/// - q_multiply_shift and q_multiply_shift_per_axis become 64-bit integer arithmetic, bit for bit
///   as TVM's rule has it: half is rounded up; a multiplier of 2^30 takes 32-bit shifts.
/// - sigmoid, rsqrt, exp10, isnan, isinf, isfinite, dp4a, large_uint_imm, and popcount and clz with
///   `expand-bits`, become arithmetic; clz(0) is the width. Rounding functions of integers become
///   their argument, fabs a choice. likely(c) becomes c, assume(c) nothing, undef() zero.
///
/// Values used more than once are bound by T.Let. Works on scalars and vectors alike. Idempotent.
/// (TVM: LowerIntrin and the default intrinsic rules.)
absl::StatusOr<IRModule> LowerIntrin(const IRModule& module, const LowerIntrinOptions& options,
                                     PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_LOWER_INTRIN_H_
