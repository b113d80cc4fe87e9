#include "frontends/graph/float_steps.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

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

/// The result of channel `i`.
int64_t ResultOf(const StepProducts& made, size_t i, const FloatRule& rule, int64_t sum) {
  const int64_t used = made.rounds_sums ? NearestFloat(sum) : sum;
  int64_t t = used * made.multipliers[i] + made.addends[i];
  if (!made.evens.empty()) t += ((t >> made.shift) & 1) * made.evens[i];
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

/// Compares products of a channel with their rule, near each step and at random sums.
void ExpectEqual(const StepProducts& made, size_t i, const FloatRule& rule, const SumRange& sums,
                 int64_t low, int64_t high, std::mt19937& random) {
  const auto check = [&](int64_t sum) {
    if (sum < sums.least || sum > sums.most) return;
    ASSERT_EQ(std::clamp(ResultOf(made, i, rule, sum), low, high), std::clamp(rule(sum), low, high))
        << sum << " times " << rule.factor;
  };
  const int64_t count = sums.most - sums.least + 1;
  for (int k = 0; k < 2000; ++k) check(sums.least + static_cast<int64_t>(random()) % count);
  for (int64_t result = low; result <= high; ++result) {
    const double border = (static_cast<double>(result) + 0.5 - rule.Start()) / rule.Slope();
    if (std::abs(border) < 1e12)
      for (int64_t near = -3; near <= 3; ++near) check(static_cast<int64_t>(border) + near);
  }
}

void ExpectProducts(const FloatRule& rule, int64_t most, int64_t low, int64_t high,
                    std::mt19937& random) {
  const SumRange sums{-most, most};
  const auto made = ExactSteps(std::span(&rule, 1), std::span(&sums, 1), low, high);
  ASSERT_TRUE(made) << rule.factor;
  ExpectEqual(*made, 0, rule, sums, low, high, random);
}

/// Scales of channels with full mantissas.
std::vector<FloatRule> RandomRules(size_t count, float around, std::mt19937& random) {
  std::vector<FloatRule> rules(count);
  for (FloatRule& rule : rules)
    rule.factor = around * (0.5F + static_cast<float>(random()) / 4294967296.0F);
  return rules;
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
    ExpectProducts(rule, most, -128, 127, random);
    ExpectProducts(rule, most, rule.zero_point, 127, random);
  }
}

TEST(FloatStepsTest, ChannelsShareAShift) {
  const FloatRule rules[] = {{.factor = 0.001F}, {.factor = 0.25F}, {.factor = 0}};
  const SumRange sums[] = {{-1000000, 1000000}, {-5000, 5000}, {-1000, 1000}};
  const auto made = ExactSteps(rules, sums, -128, 127);
  ASSERT_TRUE(made);
  for (size_t i = 0; i < 3; ++i)
    for (int64_t sum = -1000; sum <= 1000; ++sum)
      ASSERT_EQ(std::clamp<int64_t>(ResultOf(*made, i, rules[i], sum), -128, 127),
                std::clamp<int64_t>(rules[i](sum), -128, 127))
          << sum;
}

// Zones around ties need more time than one product: 64 channels get by without them.
TEST(FloatStepsTest, AShiftAloneRoundsForManyChannels) {
  std::mt19937 random(6);
  int shifts = 0;
  for (int i = 0; i < 20; ++i) {
    const std::vector<FloatRule> rules = RandomRules(64, 1 / 300.0F, random);
    const std::vector<SumRange> sums(64, {-100000, 100000});
    const auto made = ExactSteps(rules, sums, -128, 127);
    ASSERT_TRUE(made);
    shifts += made->tie_bits ? 0 : 1;
    for (size_t channel = 0; channel < rules.size(); channel += 7)
      ExpectEqual(*made, channel, rules[channel], sums[channel], -128, 127, random);
  }
  EXPECT_GE(shifts, 18);
}

// A channel whose sums have one result does not need a multiplier.
TEST(FloatStepsTest, ARuleWithOneResultNeedsNoProduct) {
  const FloatRule rules[] = {{.factor = 0.01F}, {.factor = 1.3e-9F, .zero_point = -128}};
  const SumRange sums[] = {{-20000, 20000}, {2147268778, 2147268778}};
  const auto made = ExactSteps(rules, sums, -128, 127);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->multipliers[1], 0);
  EXPECT_EQ(ResultOf(*made, 1, rules[1], 2147268778), rules[1](2147268778));
}

// float32 has 24 bits, and sums of more bits are rounded before the product.
TEST(FloatStepsTest, SumsBeyond24BitsAreRoundedFirst) {
  std::mt19937 random(7);
  for (int i = 0; i < 10; ++i) {
    const std::vector<FloatRule> rules = RandomRules(4, 9e-6F, random);
    const std::vector<SumRange> sums(4, {-21000000, 21000000});
    const auto made = ExactSteps(rules, sums, -128, 127);
    ASSERT_TRUE(made);
    for (size_t channel = 0; channel < rules.size(); ++channel)
      ExpectEqual(*made, channel, rules[channel], sums[channel], -128, 127, random);
  }
}

// Results of 16 bits are those of exact arithmetic, except for numbers that are nearly ties.
TEST(FloatStepsTest, NearStepsAreExactArithmetic) {
  std::mt19937 random(8);
  const std::vector<FloatRule> rules = RandomRules(8, 2e-5F, random);
  const std::vector<SumRange> sums(8, {-(int64_t{1} << 31), int64_t{1} << 31});
  const auto made = NearSteps(rules, sums);
  ASSERT_TRUE(made);
  for (int i = 0; i < 20000; ++i) {
    const size_t channel = static_cast<size_t>(i) % rules.size();
    const auto sum = static_cast<int64_t>(random()) - (int64_t{1} << 31);
    const double real = static_cast<double>(sum) * rules[channel].Slope();
    if (std::abs(real - std::floor(real) - 0.5) < 1e-3) continue;
    ASSERT_EQ(ResultOf(*made, channel, rules[channel], sum), std::llround(real));
  }
  // Multipliers of fewer than 24 bits lose more than float32 does.
  const std::vector<SumRange> wide(8, {-(int64_t{1} << 40), int64_t{1} << 40});
  EXPECT_FALSE(NearSteps(rules, wide));
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
    ExpectProducts(rule, 100000, -128, 127, random);
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
