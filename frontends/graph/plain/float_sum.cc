#include "frontends/graph/plain/float_sum.h"

#include <cmath>

#include "frontends/graph/plain/scaled_result.h"
#include "ir/builtins.h"

namespace tenon::graph::plain {

namespace {

/// Bits after the point of numbers that the zero point is added to.
constexpr int kPointBits = 40;

Value Absolute(Value x) { return Max(x, x.code->Integer(x.dtype(), 0) - x); }

/// The number of bits of a magnitude.
Value BitsOf(Value magnitude) {
  Code& code = *magnitude.code;
  return code.Int(64) - code.Of(code.builder().NewCall(kInt32, OpKind::kClz, {magnitude.expr}));
}

/// The nearest multiple of 2^bits, over 2^bits, with ties to even. `bits` is at least 1.
Value NearestShifted(Value x, Value bits) {
  Code& code = *x.code;
  const Value below_half = (code.Integer(kInt64, 1) << (bits - 1)) - 1;
  return (x + below_half + IsOdd(x >> bits)) >> bits;
}

/// The nearest number of 24 bits, with ties to even.
Value Nearest24(Value x) {
  Code& code = *x.code;
  const Value kept = code.Once(x);
  const Value bits = code.Once(Cast(kInt64, Max(BitsOf(Absolute(kept)) - kFloatBits, code.Int(1))));
  const Value is_long = code.Integer(kInt64, int64_t{1} << kFloatBits) < Absolute(kept);
  return Select(is_long, NearestShifted(kept, bits) << bits, kept);
}

/// A float32 as an integer of up to 24 bits times a power of two.
struct Float {
  Value digits;
  Value exponent;
};

/// A quotient by a positive integer of up to 24 bits.
Float Over(const Float& x, Value divisor) {
  Code& code = *divisor.code;
  // Enough digits for the nearest quotient; the last one says whether there is a remainder.
  constexpr int kDigits = 50;
  const Value magnitude = code.Once(Absolute(x.digits));
  const Value shift = code.Once(code.Int(kDigits) - BitsOf(magnitude));
  const Value dividend = code.Once(magnitude << Cast(kInt64, shift));
  const Value whole = code.Once(Div(dividend, divisor));
  const Value has_rest = Cast(kInt64, whole * divisor != dividend);
  // The quotient has 27 bits or more, of which the last two become zeros.
  const Value nearest = code.Once(Nearest24(whole * 2 + has_rest) >> 2);
  const Value zero = code.Integer(kInt64, 0);
  return {code.Once(Select(x.digits < 0, zero - nearest, nearest)), x.exponent - shift + 1};
}

int64_t DigitsOf(float number, int& exponent) {
  const double digits = std::frexp(static_cast<double>(number), &exponent);
  exponent -= kFloatBits;
  return std::llround(std::ldexp(digits, kFloatBits));
}

}  // namespace

FloatSum::FloatSum(const FloatRule& rule)
    : zero_point_(rule.is_zero_inside ? rule.zero_point : 0), after_(rule.Outside()) {
  int of_factor = 0;
  int of_scale = 0;
  factor_ = DigitsOf(rule.factor, of_factor);
  scale_ = DigitsOf(rule.scale, of_scale);
  exponent_ = of_factor - of_scale;
}

Value FloatSum::Plus(Value sum, Value integer) const {
  const Value number = Nearest24(Cast(kInt64, integer) * factor_);
  return Nearest24(sum + number);
}

Value FloatSum::Result(Value sum, Value count, Interval interval) const {
  Code& code = *sum.code;
  const Float mean = Over({sum, code.Int(exponent_)}, Cast(kInt64, count));
  const Float steps = Over(mean, code.Integer(kInt64, scale_));
  // Larger results are clamped, and digits after the point's 40 do not matter.
  constexpr int kMostBits = 58;
  const Value most = code.Int(kMostBits) - BitsOf(Absolute(steps.digits));
  const Value shift = code.Once(Min(steps.exponent + kPointBits, most));
  const Value left = Cast(kInt64, Max(shift, 0));
  const Value right = Cast(kInt64, Min(Max(code.Int(0) - shift, 0), 63));
  const Value at_point = (steps.digits << left) >> right;
  const Value moved = Nearest24(at_point + code.Integer(kInt64, zero_point_ << kPointBits));
  const Value nearest = NearestShifted(moved, code.Integer(kInt64, kPointBits));
  const Value low = code.Integer(kInt64, interval.low);
  return Max(Min(nearest + after_, interval.high), low);
}

double FloatSum::Error(const FloatRule& rule, int64_t count, int64_t most) {
  const double reach = static_cast<double>(most) * static_cast<double>(rule.factor) /
                       static_cast<double>(rule.scale);
  // Each step is off by at most 2^-24 of its result. The additions' results grow up to `count`
  // numbers, of which the mean takes one in `count`: that is half a step for each of them. The
  // other steps are the product, two quotients and the addition of the zero point.
  const double steps = static_cast<double>(count) / 2 + 5;
  const double zero_point = std::abs(static_cast<double>(rule.zero_point)) + 1;
  return std::ldexp(steps * reach + zero_point, -kFloatBits);
}

}  // namespace tenon::graph::plain
