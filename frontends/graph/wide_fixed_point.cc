#include "frontends/graph/wide_fixed_point.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "frontends/graph/quantized.h"
#include "frontends/graph/short_fixed_point.h"
#include "ir/builtins.h"
#include "support/little_endian.h"

namespace tenon::graph {

namespace {

/// `x / 2^bits`, rounded, with ties away from zero.
int32_t RoundedShift(int32_t x, int bits) {
  const int64_t half = int64_t{1} << (bits - 1);
  return static_cast<int32_t>((int64_t{x} + half - (x < 0 ? 1 : 0)) >> bits);
}

/// exp(a) for -1/4 <= a < 0, with 31 bits after the point: Taylor's series around -1/8.
int32_t ExpOfQuarter(int32_t a) {
  constexpr int32_t kExpOfMinusEighth = 1895147668;
  constexpr int32_t kThird = 715827883;
  const int32_t x = a + (1 << 28);
  const int32_t x2 = Product(x, x);
  const int32_t x3 = Product(x2, x);
  const int32_t x4 = Product(x2, x2);
  const int32_t cubic = Product(RoundedShift(x4, 2) + x3, kThird) + x2;
  return kExpOfMinusEighth + Product(kExpOfMinusEighth, x + RoundedShift(cubic, 1));
}

/// exp(a) for a <= 0 with 26 bits after the point; the result has 31.
int32_t ExpOfNegative(int32_t a) {
  constexpr int kFraction = 31 - kDifferenceBits;
  constexpr int32_t kQuarter = 1 << (kFraction - 2);
  if (a == 0) return std::numeric_limits<int32_t>::max();
  const int32_t rest = (a & (kQuarter - 1)) - kQuarter;
  int32_t result = ExpOfQuarter(rest * (1 << kDifferenceBits));
  const int32_t quarters = rest - a;
  // exp(-2^i) for i from -2 on.
  constexpr int32_t kPowers[] = {1672461947, 1302514674, 790015084, 290630308,
                                 39332535,   720401,     242};
  for (int i = 0; i < 7; ++i) {
    if ((quarters & (1 << (kFraction - 2 + i))) != 0) result = Product(result, kPowers[i]);
  }
  return result;
}

}  // namespace

int32_t Product(int32_t a, int32_t b) {
  return static_cast<int32_t>((int64_t{a} * b + (int64_t{1} << 30)) >> 31);
}

Differences::Differences(double scale, double beta) {
  constexpr double kMost = static_cast<double>((1LL << 31) - 1);
  scale_ = ToFixedPoint(std::min(beta * scale * (1 << (31 - kDifferenceBits)), kMost));
  most_ = std::floor(1.0 * ((1 << kDifferenceBits) - 1) * (1LL << (31 - kDifferenceBits)) /
                     static_cast<double>(1LL << std::max(scale_.shift, 0)));
}

int32_t Differences::operator()(int difference) const {
  // It is at most 31 * 2^26 if it counts.
  const int64_t shifted = Counts(difference) ? -difference * (int64_t{1} << scale_.shift) : 0;
  return Product(static_cast<int32_t>(shifted), scale_.multiplier);
}

std::vector<uint8_t> ExpTable(double scale, double beta) {
  const Differences differences(scale, beta);
  std::string bytes;
  for (int difference = 0; difference < 256; ++difference) {
    const int32_t power = ExpOfNegative(differences(difference));
    AppendLittleEndian(differences.Counts(difference) ? power : 0, &bytes);
  }
  return {bytes.begin(), bytes.end()};
}

Value RoundedProduct(Value a, Value b) {
  return (Cast(kInt64, a) * Cast(kInt64, b) + (int64_t{1} << 30)) >> 31;
}

Value Saturated(Value x, int bits) {
  const Interval range = RangeOf(kInt32);
  return Cast(kInt32, Max(Min(x << bits, range.high), range.low));
}

void WriteReciprocal(Code& code, const Array& reciprocal, Value sum, Value zeros) {
  WriteReciprocal(code, reciprocal,
                  (Cast(kInt64, sum) << Cast(kInt64, zeros)) - (int64_t{1} << 31));
}

void WriteReciprocal(Code& code, const Array& reciprocal, Value above_one) {
  constexpr int32_t k48Over17 = 1515870810;
  constexpr int32_t k32Over17 = 1010580540;
  const int64_t one = std::numeric_limits<int32_t>::max();
  const Array half = code.Scalar("half", kInt32);
  code.Set(half, Cast(kInt32, (above_one + (one + 1)) >> 1));
  const Value h = code.Get(half);
  const Value x = code.Get(reciprocal);
  code.Set(reciprocal, Cast(kInt32, RoundedProduct(h, code.Int(-k32Over17)) + int64_t{k48Over17}));
  for (int step = 0; step < 3; ++step) {
    const Value error = Cast(kInt32, code.Integer(kInt64, 1 << 29) - RoundedProduct(h, x));
    code.Set(reciprocal, x + Saturated(RoundedProduct(x, error), 2));
  }
  code.Set(reciprocal, Saturated(Cast(kInt64, x), 1));
}

Value LogOfSum(Code& code, Value sum) {
  constexpr int32_t kLogOfTwo = 1488522236;
  constexpr int32_t kRootOfHalf = 1518500250;
  constexpr int32_t kFourthRootOfHalf = 1805811301;
  // Exponents have 25 bits after the point. They are those of the sum or of the sum times the root
  // of a half, whichever is nearer to a power of two, with a quarter added or subtracted.
  constexpr int kExponentBits = 25;
  constexpr int64_t kQuarter = 1 << (kExponentBits - 2);
  const auto product = [](Value a, Value b) { return Cast(kInt32, RoundedProduct(a, b)); };
  const auto shifted = [](Value x, Value bits) {
    const Value wide = Cast(kInt64, x) << Cast(kInt64, bits);
    return Cast(kInt32, Min(wide, int64_t{std::numeric_limits<int32_t>::max()}));
  };
  const auto times = [&](Value a, int32_t b) { return product(a, code.Int(b)); };
  const Value top = code.Int(kSumBits);
  const Value zeros = code.Once(CallOf(OpKind::kClz, sum));
  const Value first = shifted(times(shifted(sum, zeros - 1), kRootOfHalf), code.Int(1));
  const Value scaled = code.Once(times(sum, kRootOfHalf));
  const Value spare = code.Once(CallOf(OpKind::kClz, scaled) - 1);
  const Value mantissa = code.Once(Min(first, shifted(sum, spare)));
  const Value exponent = code.Once(Max(((top - zeros) << kExponentBits) + kQuarter,
                                       ((top - spare) << kExponentBits) - kQuarter));
  const Value middle =
      code.Once(Cast(kInt32, (Cast(kInt64, mantissa) + (int64_t{kFourthRootOfHalf} + 1)) >> 1));
  const Value distance = code.Once((mantissa - kFourthRootOfHalf) * 2);
  const Value square = code.Once(product(distance, distance));
  const Value dividend =
      code.Once(product(distance, mantissa) + times(product(distance, square), 117049297));
  const Value inner = times(square, 127690142) + distance + 1057819769;
  const Value divisor = product(middle, inner) + times(distance, 638450708);
  const Array reciprocal = code.Scalar("log_reciprocal", kInt32);
  WriteReciprocal(code, reciprocal, Cast(kInt64, divisor));
  const Value rest = product(RoundedQuotient(dividend, 31 - kExponentBits), code.Get(reciprocal));
  return code.Once(Saturated(Cast(kInt64, times(exponent, kLogOfTwo) + rest), 1));
}

}  // namespace tenon::graph
