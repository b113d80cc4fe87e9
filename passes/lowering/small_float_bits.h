#ifndef TENON_PASSES_LOWERING_SMALL_FLOAT_BITS_H_
#define TENON_PASSES_LOWERING_SMALL_FLOAT_BITS_H_

#include "passes/lowering/intrin_rules.h"

// Internal to passes/: small floats as bit patterns (support/half.h says what the formats are).

namespace tenon {

/// float16, bfloat16 or a float8.
bool IsSmallFloat(DataType dtype);
/// uint8 or uint16, with the lanes of a small float.
DataType BitsOf(DataType dtype);
/// The pattern of `value` rounded to a small float.
int64_t SmallFloatPattern(DataType dtype, double value);
/// The value of a pattern.
double SmallFloatValue(DataType dtype, int64_t pattern);

/// The float32 value of the patterns `bits` of a small float; exact.
const Expr* DecodeSmallFloat(const IntrinBuilder& make, DataType dtype, const Expr* bits);
/// The patterns of a float32 or float64 value rounded to a small float, ties to even.
const Expr* EncodeSmallFloat(const IntrinBuilder& make, DataType dtype, const Expr* value);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_SMALL_FLOAT_BITS_H_
