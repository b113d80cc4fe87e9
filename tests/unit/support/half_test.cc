#include "support/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace tenon {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One format, with the value of every pattern computed from the definition: a sign, a power of 2,
/// a sum of halves.
struct Format {
  const char* name;
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity;
  uint32_t (*encode)(double);
  float (*decode)(uint32_t);

  uint32_t sign_bit() const { return uint32_t{1} << (exponent_bits + mantissa_bits); }
  uint32_t top() const { return (uint32_t{1} << exponent_bits) - 1; }

  double Value(uint32_t bits) const {
    const double sign = (bits & sign_bit()) != 0 ? -1.0 : 1.0;
    const uint32_t exponent = (bits >> mantissa_bits) & top();
    double fraction = 0.0;
    bool all_ones = true;
    for (int i = 1; i <= mantissa_bits; ++i) {
      const bool bit = ((bits >> (mantissa_bits - i)) & 1) != 0;
      fraction += bit ? std::pow(0.5, i) : 0.0;
      all_ones &= bit;
    }
    if (exponent == top() && has_infinity) {
      return fraction == 0.0 ? sign * kInfinity : std::nan("");
    }
    if (exponent == top() && all_ones) return std::nan("");
    const int bias = (1 << (exponent_bits - 1)) - 1;
    if (exponent == 0) return sign * fraction * std::pow(2.0, 1 - bias);
    return sign * (1.0 + fraction) * std::pow(2.0, static_cast<int>(exponent) - bias);
  }
};

const Format kFormats[] = {
    {"float16", 5, 10, true, [](double v) -> uint32_t { return Float16FromDouble(v); },
     [](uint32_t b) { return FloatFromFloat16(static_cast<uint16_t>(b)); }},
    {"bfloat16", 8, 7, true, [](double v) -> uint32_t { return BFloat16FromDouble(v); },
     [](uint32_t b) { return FloatFromBFloat16(static_cast<uint16_t>(b)); }},
    {"e4m3", 4, 3, false, [](double v) -> uint32_t { return Float8E4M3FromDouble(v); },
     [](uint32_t b) { return FloatFromFloat8E4M3(static_cast<uint8_t>(b)); }},
    {"e5m2", 5, 2, true, [](double v) -> uint32_t { return Float8E5M2FromDouble(v); },
     [](uint32_t b) { return FloatFromFloat8E5M2(static_cast<uint8_t>(b)); }},
};

class HalfTest : public testing::TestWithParam<Format> {
 protected:
  /// The patterns of all finite magnitudes, by value.
  static std::map<double, uint32_t> Magnitudes(const Format& format) {
    std::map<double, uint32_t> result;
    for (uint32_t bits = 0; bits < format.sign_bit(); ++bits) {
      const double value = format.Value(bits);
      if (std::isfinite(value)) result[value] = bits;
    }
    return result;
  }
};

TEST_P(HalfTest, EveryPatternDecodesToItsValue) {
  const Format& format = GetParam();
  for (uint32_t bits = 0; bits < 2 * format.sign_bit(); ++bits) {
    const double expected = format.Value(bits);
    const float got = format.decode(bits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(got)) << bits;
      EXPECT_NE(std::bit_cast<uint32_t>(got) & 0x00400000u, 0u) << "not quiet: " << bits;
      EXPECT_EQ(std::signbit(got), (bits & format.sign_bit()) != 0);
    } else {
      EXPECT_EQ(static_cast<double>(got), expected) << bits;
      EXPECT_EQ(std::signbit(got), (bits & format.sign_bit()) != 0) << bits;
    }
  }
}

TEST_P(HalfTest, EveryValueEncodesToItsPattern) {
  const Format& format = GetParam();
  const uint32_t quiet = uint32_t{1} << (format.mantissa_bits - 1);
  for (uint32_t bits = 0; bits < 2 * format.sign_bit(); ++bits) {
    const float value = format.decode(bits);
    // Only signaling NaNs do not round-trip: they become quiet.
    const bool turns_quiet = std::isnan(value) && format.has_infinity;
    EXPECT_EQ(format.encode(value), turns_quiet ? bits | quiet : bits);
  }
}

TEST_P(HalfTest, BetweenNeighboursTheNearerAndTiesToEven) {
  const Format& format = GetParam();
  const std::map<double, uint32_t> magnitudes = Magnitudes(format);
  for (auto low = magnitudes.begin(), high = std::next(low); high != magnitudes.end();
       ++low, ++high) {
    ASSERT_EQ(high->second, low->second + 1);
    const double middle = (low->first + high->first) / 2;  // exact: both have few bits
    const uint32_t even = low->second % 2 == 0 ? low->second : high->second;
    EXPECT_EQ(format.encode(middle), even);
    EXPECT_EQ(format.encode(std::nextafter(middle, 0.0)), low->second);
    EXPECT_EQ(format.encode(std::nextafter(middle, kInfinity)), high->second);
    EXPECT_EQ(format.encode(-middle), even | format.sign_bit());
    EXPECT_EQ(format.encode(std::nextafter(low->first, kInfinity)), low->second);
    EXPECT_EQ(format.encode(std::nextafter(high->first, 0.0)), high->second);
  }
}

TEST_P(HalfTest, BeyondTheRange) {
  const Format& format = GetParam();
  const std::map<double, uint32_t> magnitudes = Magnitudes(format);
  const auto [largest, bits] = *magnitudes.rbegin();
  const double step = largest - std::next(magnitudes.rbegin())->first;
  const double middle = largest + step / 2;
  EXPECT_EQ(format.encode(std::nextafter(middle, 0.0)), bits);
  // The tie rounds to the even pattern, which is the largest number only in e4m3.
  EXPECT_EQ(format.encode(middle), bits % 2 == 0 ? bits : bits + 1);
  for (double value : {std::nextafter(middle, kInfinity), middle * 2, 1e300,
                       std::numeric_limits<double>::max(), kInfinity}) {
    EXPECT_EQ(format.encode(value), bits + 1) << value;
    EXPECT_EQ(format.encode(-value), (bits + 1) | format.sign_bit()) << value;
  }
  EXPECT_EQ(std::isinf(format.decode(bits + 1)), format.has_infinity);
}

TEST_P(HalfTest, TheSmallestAndTheNaNs) {
  const Format& format = GetParam();
  const double smallest = format.Value(1);
  EXPECT_EQ(format.encode(smallest / 2), 0u);
  EXPECT_EQ(format.encode(std::nextafter(smallest / 2, 1.0)), 1u);
  EXPECT_EQ(format.encode(-smallest / 2), format.sign_bit());
  EXPECT_EQ(format.encode(std::numeric_limits<double>::denorm_min()), 0u);
  EXPECT_EQ(format.encode(std::numeric_limits<double>::min()), 0u);
  EXPECT_EQ(format.encode(-0.0), format.sign_bit());
  EXPECT_TRUE(std::isnan(format.decode(format.encode(std::nan("")))));
  EXPECT_TRUE(std::isnan(format.decode(format.encode(-std::nan("")))));
  const double payload_below_all_bits = std::bit_cast<double>(uint64_t{0x7ff0000000000001});
  EXPECT_TRUE(std::isnan(format.decode(format.encode(payload_below_all_bits))));
}

TEST_P(HalfTest, RandomDoublesGoToTheNearest) {
  const Format& format = GetParam();
  const std::map<double, uint32_t> magnitudes = Magnitudes(format);
  std::mt19937_64 random(5);
  for (int i = 0; i < 20000; ++i) {
    const int exponent = static_cast<int>(random() % 40) - 20;
    const double value = std::ldexp(1.0 + static_cast<double>(random() >> 12) * 0x1p-52, exponent);
    const auto above = magnitudes.lower_bound(value);
    if (above == magnitudes.end() || above == magnitudes.begin()) continue;
    const auto below = std::prev(above);
    const double up = above->first - value;
    const double down = value - below->first;
    if (up == down) continue;
    EXPECT_EQ(format.encode(value), up < down ? above->second : below->second) << value;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, HalfTest, testing::ValuesIn(kFormats),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(HalfRoundingTest, NothingIsRoundedTwice) {
  // Slightly above the midpoint of 1 and its successor, by less than float32 can represent. Through
  // float32 this would be a tie, and round down to 1.
  const double value = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(Float16FromDouble(value), 0x3c01);
  EXPECT_EQ(Float16FromDouble(static_cast<float>(value)), 0x3c00);
}

TEST(HalfKnownValuesTest, AsPublished) {
  EXPECT_EQ(Float16FromDouble(65504.0), 0x7bff);
  EXPECT_EQ(Float16FromDouble(65520.0), 0x7c00);
  EXPECT_EQ(Float16FromDouble(1.0 / 3.0), 0x3555);
  EXPECT_EQ(BFloat16FromDouble(3.140625), 0x4049);
  EXPECT_EQ(FloatFromFloat8E4M3(0x7e), 448.0f);
  EXPECT_EQ(FloatFromFloat8E4M3(0x01), 0x1p-9f);
  EXPECT_EQ(FloatFromFloat8E5M2(0x7b), 57344.0f);
  EXPECT_EQ(FloatFromFloat8E5M2(0x01), 0x1p-16f);
}

}  // namespace
}  // namespace tenon
