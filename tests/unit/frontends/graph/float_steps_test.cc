#include "frontends/graph/float_steps.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "gtest/gtest.h"

namespace tenon::graph {
namespace {

int64_t Shifted(int64_t t, int shift, std::optional<int> tie_bits) {
  const int64_t q = t >> shift;
  if (!tie_bits || q % 2 == 0) return q;
  const int64_t zone = TieZone(q, *tie_bits);
  const int64_t rest = t - (q << shift);
  if (rest <= zone) return q - 1;
  return (int64_t{1} << shift) - rest <= zone ? q + 1 : q;
}

int64_t ResultOf(const StepProducts& made, const FloatRule& rule, int64_t sum) {
  const int64_t t = sum * made.multipliers[0] + made.addends[0];
  const int64_t outside = rule.is_zero_inside ? 0 : rule.zero_point;
  return Shifted(t, made.shift, made.tie_bits) + outside;
}

TEST(FloatStepsTest, ARuleRoundsToEvenAndTheZeroPointCanBeInside) {
  FloatRule rule{.factor = 0.5F, .zero_point = 1};
  EXPECT_EQ(rule(1), 1);
  EXPECT_EQ(rule(3), 3);
  EXPECT_EQ(rule(-1), 1);
  rule.is_zero_inside = true;
  EXPECT_EQ(rule(1), 2);
  EXPECT_EQ(rule(3), 2);
  EXPECT_EQ(rule(-1), 0);
}

/// Compares products with their rule, near each step and at random sums.
void ExpectEqual(const FloatRule& rule, int64_t most, int64_t low, int64_t high,
                 std::mt19937& random) {
  const auto made = ExactSteps(std::span(&rule, 1), std::span(&most, 1), low, high);
  ASSERT_TRUE(made) << rule.factor;
  const auto check = [&](int64_t sum) {
    if (std::abs(sum) > most) return;
    ASSERT_EQ(std::clamp(ResultOf(*made, rule, sum), low, high), std::clamp(rule(sum), low, high))
        << sum << " times " << rule.factor;
  };
  for (int i = 0; i < 2000; ++i) check(static_cast<int64_t>(random()) % (2 * most + 1) - most);
  for (int64_t result = low; result <= high; ++result) {
    const double border = (static_cast<double>(result) + 0.5 - rule.Start()) / rule.Slope();
    if (std::abs(border) < static_cast<double>(most))
      for (int64_t near = -2; near <= 2; ++near) check(static_cast<int64_t>(border) + near);
  }
}

TEST(FloatStepsTest, ProductsEqualFloat32AtEachStep) {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    const float exponent = -static_cast<float>(random() % 12);
    FloatRule rule;
    rule.factor = std::exp2(exponent) * (1 + static_cast<float>(random()) / 4294967296.0F);
    // Powers of two and their small multiples have many ties.
    if (i % 3 == 0) rule.factor = std::exp2(exponent);
    if (i % 7 == 0) rule.factor *= 3;
    rule.zero_point = static_cast<int64_t>(random() % 256) - 128;
    const auto most = static_cast<int64_t>(2000.0F / rule.factor);
    ExpectEqual(rule, most, -128, 127, random);
    ExpectEqual(rule, most, rule.zero_point, 127, random);
  }
}

TEST(FloatStepsTest, ChannelsShareAShift) {
  const FloatRule rules[] = {{.factor = 0.001F}, {.factor = 0.25F}, {.factor = 0}};
  const int64_t most[] = {1000000, 5000, 1000};
  const auto made = ExactSteps(rules, most, -128, 127);
  ASSERT_TRUE(made);
  for (size_t i = 0; i < 3; ++i) {
    const StepProducts one{made->shift, made->tie_bits, {made->multipliers[i]}, {made->addends[i]}};
    for (int64_t sum = -1000; sum <= 1000; ++sum)
      ASSERT_EQ(std::clamp<int64_t>(ResultOf(one, rules[i], sum), -128, 127),
                std::clamp<int64_t>(rules[i](sum), -128, 127))
          << sum;
  }
}

// A bias of floats is an addend between two steps.
TEST(FloatStepsTest, AnAddendMovesTheSteps) {
  std::mt19937 random(4);
  for (int i = 0; i < 50; ++i) {
    FloatRule rule;
    rule.factor = 0.0003F * (1 + static_cast<float>(random()) / 4294967296.0F);
    rule.addend = static_cast<float>(random() % 1000) / 333.0F;
    rule.scale = 0.02F;
    rule.zero_point = -5;
    ExpectEqual(rule, 100000, -128, 127, random);
  }
}

TEST(FloatStepsTest, SumsOfPairsAreExactAtAllPairs) {
  std::mt19937 random(5);
  int found = 0;
  for (int i = 0; i < 20; ++i) {
    const auto number = [&] { return 0.2F + static_cast<float>(random()) / 4294967296.0F; };
    const float a = i % 4 == 0 ? 0.5F : number();
    const float b = i % 4 == 0 ? 0.25F : number();
    const float start = i % 4 == 0 ? 3 : number();
    FloatPair pair;
    pair.of_x = a;
    pair.of_y = b;
    pair.start = start;
    pair.result = [=](int64_t x, int64_t y) {
      const float first = std::fma(b, static_cast<float>(y), start);
      return static_cast<int64_t>(std::nearbyint(std::fma(a, static_cast<float>(x), first)));
    };
    const auto made = ExactPairs(pair, -128, -128, -128, 127);
    if (!made) continue;
    ++found;
    for (int64_t x = -128; x < 128; ++x) {
      for (int64_t y = -128; y < 128; ++y) {
        const int64_t t = x * made->of_x + y * made->of_y + made->addend;
        ASSERT_EQ(std::clamp<int64_t>(Shifted(t, made->shift, made->tie_bits), -128, 127),
                  std::clamp<int64_t>(pair.result(x, y), -128, 127));
      }
    }
  }
  EXPECT_GE(found, 19);
}

}  // namespace
}  // namespace tenon::graph
