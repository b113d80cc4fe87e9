#ifndef TENON_PASSES_LOWERING_SMALL_FLOAT_BITS_H_
#define TENON_PASSES_LOWERING_SMALL_FLOAT_BITS_H_

#include "passes/lowering/intrin_rules.h"

// Internal to passes/: small floats as bit patterns (support/half.h describes the formats).

namespace tenon {

/// True for float16, bfloat16 and the float8 types.
bool IsSmallFloat(DataType dtype);
/// uint8 or uint16, with the lanes of a small float.
DataType BitsOf(DataType dtype);
/// The bit pattern of `value` rounded to a small float.
int64_t SmallFloatPattern(DataType dtype, double value);
/// The value of a bit pattern.
double SmallFloatValue(DataType dtype, int64_t pattern);

/// The exact float32 value of the bit patterns `bits` of a small float.
const Expr* DecodeSmallFloat(const IntrinBuilder& make, DataType dtype, const Expr* bits);
/// The bit patterns of a float32 or float64 value rounded to a small float, ties to even.
const Expr* EncodeSmallFloat(const IntrinBuilder& make, DataType dtype, const Expr* value);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_SMALL_FLOAT_BITS_H_
