#include "frontends/graph/fixed_point.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tenon::graph {

namespace {

/// An int32 cannot be shifted by more bits.
constexpr int kMostShift = 31;

/// The high half of a product of int32 numbers, as int64: rounded, with ties up.
Value HighProduct(Value x, Value multiplier) {
  return (Cast(kInt64, x) * Cast(kInt64, multiplier) + (int64_t{1} << 30)) >> 31;
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

/// The same of RescaleOnce.
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
  // Also infinity: a quotient of scales that are too far apart.
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
                   DataType step) {
  const Value shifted = x << left;
  const Value high = Cast(step, HighProduct(shifted, multiplier));
  const Value one = x.code->Integer(step, 1);
  const Value bits = Cast(step, right);
  const Value sign = Cast(step, shifted >> 31);
  // Where a quotient is by 1, twice the number is divided by 2: the same without a special case.
  const Value sum =
      least_right >= 1 ? high + (one << (bits - 1)) + sign : high * 2 + (one << bits) + sign;
  return Cast(kInt32, sum >> (least_right >= 1 ? bits : bits + 1));
}

Value RescaleTwice(Value x, FixedPoint scale) { return RescaleTwice(x, scale, kInt64); }

Value RescaleTwice(Value x, FixedPoint scale, DataType step) {
  Code& code = *x.code;
  const Value shifted = x << std::max(scale.shift, 0);
  const Value high = Cast(step, HighProduct(shifted, code.Integer(kInt32, scale.multiplier)));
  if (scale.shift >= 0) return Cast(kInt32, high);
  const int right = -scale.shift;
  const Value sign = Cast(step, shifted >> 31);
  return Cast(kInt32, (high + (int64_t{1} << (right - 1)) + sign) >> right);
}

bool FitsShortStep(int64_t most, int right) {
  // A product is at most the number; a quotient by 1 needs one bit more.
  return right < 30 && 2 * most + (int64_t{1} << right) < int64_t{1} << 31;
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

Value RescaleOnce(Value x, SingleRounding scale) {
  const Value product = Cast(kInt64, x) * scale.multiplier;
  return Cast(kInt32, (product + (int64_t{1} << (scale.shift - 1))) >> scale.shift);
}

}  // namespace tenon::graph
