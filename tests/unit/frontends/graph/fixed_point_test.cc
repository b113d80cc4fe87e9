#include "frontends/graph/fixed_point.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "arith/eval.h"
#include "gtest/gtest.h"

namespace tenon::graph {
namespace {

TEST(FixedPointTest, MultipliersHave31Bits) {
  EXPECT_EQ(ToFixedPoint(0.5).multiplier, 1 << 30);
  EXPECT_EQ(ToFixedPoint(0.5).shift, 0);
  EXPECT_EQ(ToFixedPoint(3).multiplier, 3 << 29);
  EXPECT_EQ(ToFixedPoint(3).shift, 2);
  EXPECT_EQ(ToFixedPoint(0).multiplier, 0);
  EXPECT_EQ(ToFixedPoint(std::ldexp(1, -40)).multiplier, 0);
}

TEST(FixedPointTest, NumbersTooLargeForAShiftAreTheLargestOne) {
  EXPECT_EQ(ToFixedPoint(std::ldexp(1, 100)).shift, 31);
  EXPECT_EQ(ToFixedPoint(std::ldexp(1, 100)).multiplier, INT32_MAX);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ToFixedPoint(infinity).multiplier, INT32_MAX);
  EXPECT_EQ(ToFixedPoint(std::nan("")).multiplier, 0);
}

TEST(FixedPointTest, TheFirstRoundingTiesUpAndTheSecondAwayFromZero) {
  EXPECT_EQ(RescaleTwice(3, ToFixedPoint(0.5)), 2);
  EXPECT_EQ(RescaleTwice(-3, ToFixedPoint(0.5)), -1);
  EXPECT_EQ(RescaleTwice(6, ToFixedPoint(0.25)), 2);
  EXPECT_EQ(RescaleTwice(-6, ToFixedPoint(0.25)), -2);
}

int64_t NumberOf(Value value) {
  const std::optional<ScalarValue> number = EvaluateExpr(value.expr);
  return number ? number->integer : INT64_MIN;
}

TEST(FixedPointTest, ShorterFormsGiveTheSame) {
  Context context;
  Code code(context, std::make_shared<Storage>());
  std::mt19937 random(2);
  for (int i = 0; i < 4000; ++i) {
    const int right = static_cast<int>(random() % 12);
    const double real =
        std::ldexp(0.5 + 0.5 * static_cast<double>(random()) / 4294967296.0, -right);
    FixedPoint scale = ToFixedPoint(i % 7 == 0 ? std::ldexp(1, -1 - right) : real);
    if (scale.shift > 0) scale.shift = 0;
    const int64_t most = int64_t{1} << (3 + random() % 17);
    const auto x = static_cast<int32_t>(static_cast<int64_t>(random()) % (2 * most + 1) - most);
    const int64_t wanted = RescaleTwice(x, scale);
    const Value value = code.Int(x);
    EXPECT_EQ(NumberOf(RescaleTwice(value, scale)), wanted) << x;
    ASSERT_TRUE(FitsShortStep(most, -scale.shift));
    EXPECT_EQ(NumberOf(RescaleTwice(value, scale, {.step = DataType::Int(32)})), wanted) << x;
    const int bits = static_cast<int>(random() % 5);
    const int least = static_cast<int>(random() % static_cast<uint32_t>(1 - scale.shift));
    const Value factor = code.Int(int64_t{1} << bits);
    const Value multiplier = code.Int(scale.multiplier);
    const bool fits = FitsShortStep(most, bits - scale.shift, int64_t{1} << bits);
    const auto by_factor = [&](bool is_natural) {
      return NumberOf(
          RescaleByFactor(value, multiplier, factor, bits - scale.shift, least, is_natural));
    };
    if (fits) {
      EXPECT_EQ(by_factor(/*is_natural=*/false), wanted) << x;
    }
    if (x < 0) continue;
    if (fits) {
      EXPECT_EQ(by_factor(/*is_natural=*/true), wanted) << x;
    }
    EXPECT_EQ(NumberOf(RescaleTwice(value, scale, {.is_natural = true})), wanted) << x;
  }
}

/// The expected product: the nearest integer in double precision, clamped.
int64_t Wanted(int64_t x, double real, int64_t low, int64_t high) {
  return static_cast<int64_t>(std::clamp(std::round(static_cast<double>(x) * real),
                                         static_cast<double>(low), static_cast<double>(high)));
}

TEST(FixedPointTest, ExactRoundingIsThatOfDoubles) {
  std::mt19937 random(1);
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    const double real = std::ldexp(0.5 + 0.5 * static_cast<double>(random()) / 4294967296.0,
                                   -static_cast<int>(random() % 14));
    const int64_t most = 1 + static_cast<int64_t>(random() % 60000);
    const auto exact = ExactRounding(real, most, -128, 127);
    if (!exact) continue;
    ++found;
    for (int64_t x = -most; x <= most; ++x) {
      const int64_t product =
          (x * exact->multiplier + (int64_t{1} << (exact->shift - 1))) >> exact->shift;
      ASSERT_EQ(std::clamp<int64_t>(product, -128, 127), Wanted(x, real, -128, 127))
          << x << " * " << real;
    }
  }
  EXPECT_GT(found, 150);
}

TEST(FixedPointTest, NoProductIsExactForScalesOutOfRange) {
  EXPECT_FALSE(ExactRounding(0, 100, -128, 127).has_value());
  EXPECT_FALSE(ExactRounding(std::ldexp(1, 60), 100, -128, 127).has_value());
  EXPECT_FALSE(ExactRounding(std::nan(""), 100, -128, 127).has_value());
}

}  // namespace
}  // namespace tenon::graph
