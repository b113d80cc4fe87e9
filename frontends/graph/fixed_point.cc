#include "frontends/graph/fixed_point.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tenon::graph {

namespace {

constexpr DataType kUInt32 = DataType::UInt(32);
constexpr DataType kUInt64 = DataType::UInt(64);
/// The multiplier of powers of two.
constexpr int32_t kHalf = 1 << 30;
/// An int32 cannot be shifted by more bits.
constexpr int kMostShift = 31;

/// A product in 64 bits. Some processors have vector products only for unsigned numbers.
Value WideProduct(Value x, Value multiplier, bool is_natural) {
  if (!is_natural) return Cast(kInt64, x) * Cast(kInt64, multiplier);
  return Cast(kUInt64, Cast(kUInt32, x)) * Cast(kUInt64, Cast(kUInt32, multiplier));
}

/// The high half of a product of int32 numbers: rounded, with ties up.
Value HighProduct(Value x, Value multiplier, Rescaled facts) {
  const Value product = WideProduct(x, multiplier, facts.is_natural);
  return Cast(facts.step, (product + (int64_t{1} << 30)) >> 31);
}

/// The smallest integer whose product with `real` rounds to `result` or more.
int64_t FirstOf(int64_t result, double real) {
  auto x = static_cast<int64_t>(std::ceil((static_cast<double>(result) - 0.5) / real));
  const auto reaches = [&](int64_t number) {
    return std::round(static_cast<double>(number) * real) >= static_cast<double>(result);
  };
  while (reaches(x - 1)) --x;
  while (!reaches(x)) ++x;
  return x;
}

/// The same for RescaleOnce.
int64_t FirstOf(int64_t result, SingleRounding scale) {
  __extension__ using Wide = __int128;
  const Wide least = (Wide{2} * result - 1) << (scale.shift - 1);
  const Wide quotient = least / scale.multiplier;
  return static_cast<int64_t>(quotient * scale.multiplier < least ? quotient + 1 : quotient);
}

bool IsExact(SingleRounding scale, double real, int64_t most, int64_t low, int64_t high) {
  for (int64_t result = low + 1; result <= high; ++result) {
    const int64_t wanted = FirstOf(result, real);
    const int64_t found = FirstOf(result, scale);
    if (std::clamp(wanted, -most, most + 1) != std::clamp(found, -most, most + 1)) return false;
  }
  return true;
}

}  // namespace

FixedPoint ToFixedPoint(double real) {
  FixedPoint fixed;
  if (real == 0 || std::isnan(real)) return fixed;
  // This includes infinity: the quotient of scales that are too far apart.
  if (real >= std::ldexp(1.0, kMostShift)) return {std::numeric_limits<int32_t>::max(), kMostShift};
  const double fraction = std::frexp(real, &fixed.shift);
  auto multiplier = static_cast<int64_t>(std::round(fraction * static_cast<double>(1LL << 31)));
  if (multiplier == 1LL << 31) {
    multiplier /= 2;
    ++fixed.shift;
  }
  if (fixed.shift < -31) return {};
  if (fixed.shift > kMostShift) return {std::numeric_limits<int32_t>::max(), kMostShift};
  fixed.multiplier = static_cast<int32_t>(multiplier);
  return fixed;
}

Value RescaleTwice(Value x, Value multiplier, int left, Value right, int least_right,
                   Rescaled facts) {
  const Value shifted = x << left;
  const Value high = HighProduct(shifted, multiplier, facts);
  const Value one = x.code->Integer(facts.step, 1);
  const Value bits = Cast(facts.step, right);
  if (facts.is_natural && least_right >= 1)
    return Cast(kInt32, (high + (one << (bits - 1))) >> bits);
  // For a divisor of 1, twice the number is divided by 2, which avoids a special case.
  Value sum = least_right >= 1 ? high + (one << (bits - 1)) : high * 2 + (one << bits);
  if (!facts.is_natural) sum = sum + Cast(facts.step, shifted >> 31);
  return Cast(kInt32, sum >> (least_right >= 1 ? bits : bits + 1));
}

Value RescaleByFactor(Value x, Value multiplier, Value factor, int right, int least_right,
                      bool is_natural) {
  Value high = HighProduct(x, multiplier, {.step = kInt32, .is_natural = is_natural});
  const bool is_double = !is_natural && least_right < 1;
  if (is_double) high = high * 2;
  if (!is_natural) high = high + (x >> 31);
  const int bits = is_double ? right + 1 : right;
  if (bits == 0) return high;
  return (high * Cast(kInt32, factor) + (int64_t{1} << (bits - 1))) >> bits;
}

Value RescaleTwice(Value x, FixedPoint scale, Rescaled facts) {
  Code& code = *x.code;
  const Value shifted = x << std::max(scale.shift, 0);
  const Value high = scale.multiplier == kHalf
                         ? Cast(facts.step, (shifted >> 1) + FloorMod(shifted, 2))
                         : HighProduct(shifted, code.Integer(kInt32, scale.multiplier), facts);
  if (scale.shift >= 0) return Cast(kInt32, high);
  const int right = -scale.shift;
  Value sum = high + (int64_t{1} << (right - 1));
  if (!facts.is_natural) sum = sum + Cast(facts.step, shifted >> 31);
  return Cast(kInt32, sum >> right);
}

bool FitsShortStep(int64_t most, int right, int64_t factor) {
  // A product is at most the number. A division by 1 and the sign need one bit more.
  return right < 30 && most < int64_t{1} << 31 &&
         (2 * most + 1) * factor + (int64_t{1} << right) < int64_t{1} << 31;
}

int32_t RescaleTwice(int32_t x, FixedPoint scale) {
  const int left = std::max(scale.shift, 0);
  const int right = std::max(-scale.shift, 0);
  const auto shifted = static_cast<int32_t>(static_cast<uint32_t>(x) << left);
  const int64_t high = (int64_t{shifted} * scale.multiplier + (int64_t{1} << 30)) >> 31;
  if (right == 0) return static_cast<int32_t>(high);
  return static_cast<int32_t>((high + (int64_t{1} << (right - 1)) - (high < 0 ? 1 : 0)) >> right);
}

std::optional<SingleRounding> ExactRounding(double real, int64_t most, int64_t low, int64_t high) {
  // Beyond these limits, doubles cannot express the numbers at which the result changes.
  if (!(real > std::ldexp(1.0, -36)) || !(real < std::ldexp(1.0, 30))) return std::nullopt;
  int exponent = 0;
  std::frexp(real, &exponent);
  const auto bits_of_x = static_cast<int>(std::bit_width(static_cast<uint64_t>(most)));
  // The product and half a step stay below 2^63. Multipliers of 31 bits need the least time.
  for (const int bits : {31, std::min(62 - bits_of_x, 52)}) {
    const int shift = bits - exponent;
    if (bits + bits_of_x > 62 || bits < 24 || shift < 1 || shift > 62) continue;
    const auto nearest = static_cast<int64_t>(std::round(std::ldexp(real, shift)));
    for (const int64_t step : {0, 1, -1}) {
      const SingleRounding scale{nearest + step, shift};
      if (bits == 31 && scale.multiplier > std::numeric_limits<int32_t>::max()) continue;
      if (IsExact(scale, real, most, low, high)) return scale;
    }
  }
  return std::nullopt;
}

Value RescaleOnce(Value x, SingleRounding scale, bool is_natural) {
  const Value product = WideProduct(x, x.code->Integer(kInt64, scale.multiplier), is_natural);
  return Cast(kInt32, (product + (int64_t{1} << (scale.shift - 1))) >> scale.shift);
}

}  // namespace tenon::graph
