#include "frontends/graph/short_fixed_point.h"

#include <limits>

namespace tenon::graph {

namespace {

constexpr int64_t kOne = std::numeric_limits<int16_t>::max();
/// A one with two bits before the point.
constexpr int64_t kOneOfTwoBits = 1 << 13;

/// A constant of gemmlowp, reduced from 32 bits.
constexpr int64_t Short(int64_t constant) {
  const int64_t half = int64_t{1} << 15;
  return (constant + half - (constant < 0 ? 1 : 0)) >> 16;
}

/// The product of numbers with 15 bits after the point, rounded.
Value Product(Value a, Value b) { return (a * b + (1 << 14)) >> 15; }
Value Product(Value a, int64_t b) { return (a * b + (1 << 14)) >> 15; }

Value Once(Value x) { return x.code->Once(x); }

/// exp(a) for -1/4 <= a < 0, with 15 bits after the point: Taylor's series around -1/8.
Value ExpOfQuarter(Value a) {
  constexpr int64_t kExpOfMinusEighth = Short(1895147668);
  constexpr int64_t kThird = Short(715827883);
  const Value x = Once(a + (1 << 12));
  const Value x2 = Once(Product(x, x));
  const Value x3 = Once(Product(x2, x));
  const Value x4 = Once(Product(x2, x2));
  const Value cubic = Once(Product(RoundedQuotient(x4, 2) + x3, kThird) + x2);
  const Value series = x + RoundedQuotient(cubic, 1);
  return ClampToShort(Product(series, kExpOfMinusEighth) + kExpOfMinusEighth);
}

/// exp(a) for a <= 0; the result has 15 bits after the point.
Value ExpOfNegative(Value a, int integer_bits) {
  Code& code = *a.code;
  const int fraction = 15 - integer_bits;
  const int64_t quarter = int64_t{1} << (fraction - 2);
  const Value rest = Once(FloorMod(a, quarter) - quarter);
  const Array result = code.Scalar("exponential", kInt32);
  code.Set(result, ExpOfQuarter(rest << integer_bits));
  const Value quarters = Once(rest - a);
  // exp(-2^i) for i from -2 on.
  constexpr int64_t kPowers[] = {1672461947, 1302514674, 790015084, 290630308,
                                 39332535,   720401,     242};
  for (int i = -2; i < integer_bits && i <= 4; ++i) {
    const Value bit = FloorMod(quarters >> (fraction + i), 2);
    const Value power = Product(code.Get(result), Short(kPowers[i + 2]));
    code.Set(result, Select(bit == code.Int(1), power, code.Get(result)));
  }
  if (integer_bits > 5) {
    const Value is_small = a < -(int64_t{1} << (20 - integer_bits));
    code.Set(result, Select(is_small, code.Int(0), code.Get(result)));
  }
  return Select(a == code.Int(0), code.Int(kOne), code.Get(result));
}

/// 2 / (1 + x) for 0 <= x <= 1, with two bits before the point: three steps of Newton and Raphson.
Value TwiceReciprocal(Value x) {
  Code& code = *x.code;
  const Value half = Once((x + (kOne + 1)) >> 1);
  const Array result = code.Scalar("reciprocal", kInt32);
  code.Set(result, Product(half, Short(-1010580540)) + Short(1515870810));
  for (int step = 0; step < 3; ++step) {
    const Value now = code.Get(result);
    const Value error = code.Int(kOneOfTwoBits) - Product(half, now);
    code.Set(result, now + ClampToShort(Product(now, error) << 2));
  }
  return code.Get(result);
}

}  // namespace

Value RoundedQuotient(Value x, int bits) {
  const Value is_negative = x >> 31;
  return (x + is_negative + (int64_t{1} << (bits - 1))) >> bits;
}

Value ClampToShort(Value x) {
  return Max(Min(x, std::numeric_limits<int16_t>::max()), std::numeric_limits<int16_t>::min());
}

Value ShortLogistic(Value x, int integer_bits) {
  Code& code = *x.code;
  const Value exponential = Once(ExpOfNegative(Once(Min(x, code.Int(0) - x)), integer_bits));
  const Value positive = Once(ClampToShort(TwiceReciprocal(exponential) << 1));
  const Value by_sign = Select(code.Int(0) < x, positive, code.Int(kOne) - positive);
  return Select(x == code.Int(0), code.Int(1 << 14), by_sign);
}

Value ShortTanh(Value x, int integer_bits) {
  Code& code = *x.code;
  // exp(2x): the same bits with one more before the point.
  const Value exponential = Once(ExpOfNegative(Once(Min(x, code.Int(0) - x)), integer_bits + 1));
  const Value of_negative = Once(ClampToShort((TwiceReciprocal(exponential) - kOneOfTwoBits) << 2));
  const Value by_sign = Select(x < 0, code.Int(0) - of_negative, of_negative);
  return Select(x == code.Int(0), code.Int(0), by_sign);
}

}  // namespace tenon::graph
