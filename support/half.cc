#include "support/half.h"

#include <bit>

namespace tenon {
namespace {

constexpr int kDoubleMantissa = 52;
constexpr int kDoubleBias = 1023;
constexpr uint64_t kDoubleMantissaMask = (uint64_t{1} << kDoubleMantissa) - 1;

/// A format with a sign bit, kExponent bits and kMantissa bits. With kHasInfinity, the top exponent
/// is reserved for infinity and NaN. Otherwise it also encodes numbers, except the pattern of all
/// ones, which is the only NaN.
template <int kExponent, int kMantissa, bool kHasInfinity>
struct Format {
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr uint32_t kSign = uint32_t{1} << (kExponent + kMantissa);
  static constexpr uint32_t kTopExponent = ((uint32_t{1} << kExponent) - 1) << kMantissa;
  static constexpr uint32_t kMantissaMask = (uint32_t{1} << kMantissa) - 1;
  static constexpr uint32_t kQuiet = uint32_t{1} << (kMantissa - 1);
  static constexpr uint32_t kLargest =
      kHasInfinity ? kTopExponent - 1 : (kTopExponent | kMantissaMask) - 1;
  // The result for numbers out of range: infinity, or the NaN after the largest number.
  static constexpr uint32_t kOverflow = kLargest + 1;

  static uint32_t Encode(double value) {
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    const uint32_t sign = (bits >> 63) != 0 ? kSign : 0;
    const int exponent = static_cast<int>((bits >> kDoubleMantissa) & 0x7ff);
    const uint64_t mantissa = bits & kDoubleMantissaMask;
    if (exponent == 0x7ff) {
      if (mantissa == 0 || !kHasInfinity) return sign | kOverflow;
      const auto payload = static_cast<uint32_t>(mantissa >> (kDoubleMantissa - kMantissa));
      return sign | kTopExponent | kQuiet | payload;
    }
    // A double below 2^-1022 is far below half of the smallest number of each of these formats.
    if (exponent == 0) return sign;
    int shift = kDoubleMantissa - kMantissa;
    int target = exponent - kDoubleBias + kBias;
    if (target <= 0) {
      // Subnormal: the exponent is that of field value 1, and fewer mantissa bits remain.
      shift += 1 - target;
      target = 1;
    }
    if (shift > kDoubleMantissa + 2) return sign;
    const uint64_t significand = mantissa | (uint64_t{1} << kDoubleMantissa);
    uint64_t kept = significand >> shift;
    const uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
    const uint64_t half = uint64_t{1} << (shift - 1);
    if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
    if (target > (1 << kExponent)) return sign | kOverflow;
    // The implicit bit of `kept` adds one to the exponent field; so does a carry out of rounding.
    const uint64_t result = (static_cast<uint64_t>(target - 1) << kMantissa) + kept;
    return sign | (result > kLargest ? kOverflow : static_cast<uint32_t>(result));
  }

  static float Decode(uint32_t bits) {
    const uint32_t sign = (bits & kSign) != 0 ? uint32_t{1} << 31 : 0;
    const uint32_t magnitude = bits & (kSign - 1);
    if (magnitude > kLargest) {
      if (kHasInfinity && magnitude == kTopExponent) {
        return std::bit_cast<float>(sign | 0x7f800000u);
      }
      return std::bit_cast<float>(sign | 0x7fc00000u |
                                  (magnitude & kMantissaMask) << (23 - kMantissa));
    }
    int exponent = static_cast<int>(magnitude >> kMantissa);
    uint32_t mantissa = magnitude & kMantissaMask;
    if constexpr (kExponent == 8) {
      // The exponent range equals float32's, including subnormals.
      return std::bit_cast<float>(sign | magnitude << (23 - kMantissa));
    }
    if (exponent == 0) {
      if (mantissa == 0) return std::bit_cast<float>(sign);
      exponent = 1;
      while ((mantissa >> kMantissa) == 0) {
        mantissa <<= 1;
        --exponent;
      }
      mantissa &= kMantissaMask;
    }
    const auto biased = static_cast<uint32_t>(exponent - kBias + 127);
    return std::bit_cast<float>(sign | biased << 23 | mantissa << (23 - kMantissa));
  }
};

using Float16 = Format<5, 10, true>;
using BFloat16 = Format<8, 7, true>;
using Float8E4M3 = Format<4, 3, false>;
using Float8E5M2 = Format<5, 2, true>;

}  // namespace

uint16_t Float16FromDouble(double value) { return static_cast<uint16_t>(Float16::Encode(value)); }
uint16_t BFloat16FromDouble(double value) { return static_cast<uint16_t>(BFloat16::Encode(value)); }
uint8_t Float8E4M3FromDouble(double value) {
  return static_cast<uint8_t>(Float8E4M3::Encode(value));
}
uint8_t Float8E5M2FromDouble(double value) {
  return static_cast<uint8_t>(Float8E5M2::Encode(value));
}

float FloatFromFloat16(uint16_t bits) { return Float16::Decode(bits); }
float FloatFromBFloat16(uint16_t bits) { return BFloat16::Decode(bits); }
float FloatFromFloat8E4M3(uint8_t bits) { return Float8E4M3::Decode(bits); }
float FloatFromFloat8E5M2(uint8_t bits) { return Float8E5M2::Decode(bits); }

}  // namespace tenon
