#ifndef TENON_PASSES_LOWERING_LEGALIZE_SMALL_FLOATS_H_
#define TENON_PASSES_LOWERING_LEGALIZE_SMALL_FLOATS_H_

#include <string>

#include "passes/pass.h"

namespace tenon {

struct LegalizeSmallFloatsOptions {
  /// "keep": storage and conversions keep their dtypes. "bits8": float8 values become uint8 and
  /// conversions become integer arithmetic. "bits": also float16 and bfloat16, as uint16.
  std::string storage = "keep";

  static constexpr auto List() {
    return std::make_tuple(PassOption<LegalizeSmallFloatsOptions, std::string>{
        "storage", &LegalizeSmallFloatsOptions::storage,
        "storage of small floats: keep (their own types), bits8 (float8 as uint8) or bits (also "
        "float16 and bfloat16, as uint16)"});
  }
};

/// Computes float16, bfloat16 and float8 in float32, for targets that can only convert these types.
///
///   before:
///     def f(A: T.Buffer((16,), "float16")):
///         A[0] = A[1] * A[2] + T.float16(1.5)
///   after:
///     def f(...):
///         A[0] = T.Cast("float16", T.Cast("float32", T.Cast("float16", T.Cast("float32",
///             A[1]) * T.Cast("float32", A[2]))) + T.float32(1.5))
///
/// Each operation is rounded to the small dtype (nearest, ties to even) as if it were computed in
/// that dtype: float32 is so wide that double rounding does not change the results of + - * / and
/// sqrt. Comparisons, and conversions to integers, use float32.
///
/// With `storage=bits8` or `bits`, values are stored as bits. Buffers, allocations and lets get
/// unsigned dtypes, constants become bit patterns, and conversions become integer arithmetic.
/// Parameters keep their dtypes; accesses use aliases.
///
/// Idempotent. (TVM: BF16Legalize and FP8Legalize, which write such casts.)
absl::StatusOr<IRModule> LegalizeSmallFloats(const IRModule& module,
                                             const LegalizeSmallFloatsOptions& options,
                                             PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_LEGALIZE_SMALL_FLOATS_H_
