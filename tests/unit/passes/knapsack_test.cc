#include "passes/constants/knapsack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tenon {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Sums {
  int64_t value = 0;
  int64_t weight = 0;
};

Sums SumsOf(const std::vector<KnapsackItem>& items, const std::vector<size_t>& taken) {
  Sums sums;
  for (const size_t i : taken) {
    sums.value += items[i].value;
    sums.weight += items[i].weight;
  }
  return sums;
}

/// The greatest value of any set that fits, by exhaustive search.
int64_t MostValue(const std::vector<KnapsackItem>& items, int64_t capacity) {
  int64_t most = 0;
  for (uint32_t set = 0; set < (1U << items.size()); ++set) {
    Sums sums;
    for (size_t i = 0; i < items.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      sums.value += items[i].value;
      sums.weight += items[i].weight;
    }
    if (sums.weight <= capacity) most = std::max(most, sums.value);
  }
  return most;
}

// Items of all kinds: many with the same ratio, many with the same size, some without weight or
// value.
TEST(KnapsackTest, NoSetOfItemsIsWorthMore) {
  for (uint32_t seed = 1; seed <= 3000; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t limit) { return static_cast<int64_t>(random() % limit); };
    std::vector<KnapsackItem> items(1 + random() % 12);
    const uint32_t kind = seed % 4;
    int64_t sum = 0;
    for (KnapsackItem& item : items) {
      item.weight = kind == 0 ? below(64) : 16 * below(8);
      item.value = kind == 1 ? item.weight * 3 : kind == 2 ? item.weight + 10 : below(1000);
      sum += item.weight;
    }
    const int64_t capacity = below(static_cast<uint32_t>(sum + 20));
    const KnapsackChoice choice = SolveKnapsack(items, capacity);
    ASSERT_TRUE(choice.is_best);
    ASSERT_TRUE(std::is_sorted(choice.taken.begin(), choice.taken.end()));
    ASSERT_EQ(std::adjacent_find(choice.taken.begin(), choice.taken.end()), choice.taken.end());
    const Sums sums = SumsOf(items, choice.taken);
    ASSERT_LE(sums.weight, capacity) << "seed " << seed;
    ASSERT_EQ(sums.value, MostValue(items, capacity)) << "seed " << seed;
    for (const size_t i : choice.taken) ASSERT_GT(items[i].value, 0) << "seed " << seed;
  }
}

// By value per weight the first item would be chosen, and leave no room for the two that are
// better.
TEST(KnapsackTest, IsNotGreedy) {
  const std::vector<KnapsackItem> items = {{60, 10}, {100, 20}, {120, 30}};
  EXPECT_THAT(SolveKnapsack(items, 50).taken, ElementsAre(1, 2));
}

TEST(KnapsackTest, WithoutALimitTakesAllThatIsWorthAnything) {
  const std::vector<KnapsackItem> items = {{INT64_MAX, INT64_MAX / 2}, {0, 1}, {1, INT64_MAX / 2}};
  EXPECT_THAT(SolveKnapsack(items, INT64_MAX).taken, ElementsAre(0, 2));
}

TEST(KnapsackTest, NothingFits) {
  const std::vector<KnapsackItem> items = {{5, 1}, {7, 2}};
  EXPECT_THAT(SolveKnapsack(items, 0).taken, IsEmpty());
  EXPECT_THAT(SolveKnapsack({}, 10).taken, IsEmpty());
}

// All items have nearly the same ratio, so that bounds do not help. The search still ends with a
// set that fits, and is deterministic.
TEST(KnapsackTest, EndsOnHardProblems) {
  std::mt19937 random(7);
  std::vector<KnapsackItem> items(2000);
  int64_t sum = 0;
  for (KnapsackItem& item : items) {
    item.weight = 1'000'000 + 2 * static_cast<int64_t>(random() % 1'000'000);
    item.value = item.weight;
    sum += item.weight;
  }
  const int64_t capacity = sum / 2 / 2 * 2 + 1;  // odd, while all sums are even
  const KnapsackChoice choice = SolveKnapsack(items, capacity);
  EXPECT_FALSE(choice.is_best);
  const Sums sums = SumsOf(items, choice.taken);
  EXPECT_LE(sums.weight, capacity);
  EXPECT_GT(sums.weight, capacity - 1'000'000);
  EXPECT_EQ(SolveKnapsack(items, capacity).taken, choice.taken);
}

}  // namespace
}  // namespace tenon
