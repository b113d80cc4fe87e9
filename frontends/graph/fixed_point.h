#ifndef TENON_FRONTENDS_GRAPH_FIXED_POINT_H_
#define TENON_FRONTENDS_GRAPH_FIXED_POINT_H_

#include <cstdint>
#include <optional>

#include "frontends/graph/code.h"

// Products of integers and real scales, in integers. The rules are those of the reference kernels
// of TensorFlow Lite, bit for bit; quantized.h says which operator has which rule.

namespace tenon::graph {

/// The number `multiplier * 2^(shift - 31)`.
struct FixedPoint {
  int32_t multiplier = 0;
  int shift = 0;
};

/// The nearest number with a multiplier of 2^30 to 2^31 - 1. Numbers below 2^-32 become 0, and
/// numbers from 2^31 on the largest one.
FixedPoint ToFixedPoint(double real);

/// Known facts about numbers, which make rescaling them cheaper.
struct Rescaled {
  /// The dtype of the second rounding: int32 if FitsShortStep().
  DataType step = DataType::Int(64);
  /// No number is negative or shifted to the left, so products are unsigned, and ties have one
  /// direction. Each number is used once.
  bool is_natural = false;
};

/// `x * scale`, rounded twice: the high half of the product to the nearest, with ties up; then its
/// quotient by a power of two, with ties away from zero. The int32 `x` is used more than once.
Value RescaleTwice(Value x, FixedPoint scale, Rescaled facts = {});
/// The same on the host.
int32_t RescaleTwice(int32_t x, FixedPoint scale);

/// The same for numbers of channels, whose multipliers are int32, or uint32 for natural numbers.
/// `right` is an int32, the number of bits of the quotient. All channels shift to the left by
/// `left` bits first. `least_right` is at most every `right`.
Value RescaleTwice(Value x, Value multiplier, int left, Value right, int least_right,
                   Rescaled facts);

/// The same for a quotient by `2^right / factor`. `factor` is an integer, a power of two of at most
/// 2^right. With a constant `right`, no processor needs a shift by the channel's number of bits.
/// `least_right` is the least number of bits of all channels. The second rounding fits in int32.
Value RescaleByFactor(Value x, Value multiplier, Value factor, int right, int least_right,
                      bool is_natural);

/// True if the second rounding of numbers of at most `most` in magnitude, times `factor` and
/// divided by 2^right, stays within int32.
bool FitsShortStep(int64_t most, int right, int64_t factor = 1);

/// `x * multiplier / 2^shift`, rounded once, with ties up; in int64.
struct SingleRounding {
  int64_t multiplier = 0;
  int shift = 0;
};

/// A product that equals the nearest integer to `x * real` in double precision, with ties away from
/// zero. It holds for all integers x of at most `most` in magnitude, if both results are clamped to
/// [low, high]. Proven at each step of the result. Nullopt if no such product was found.
std::optional<SingleRounding> ExactRounding(double real, int64_t most, int64_t low, int64_t high);

/// With `is_natural`, the multiplier fits in 32 bits, and `x` is not negative.
Value RescaleOnce(Value x, SingleRounding scale, bool is_natural = false);

}  // namespace tenon::graph

#endif  // TENON_FRONTENDS_GRAPH_FIXED_POINT_H_
