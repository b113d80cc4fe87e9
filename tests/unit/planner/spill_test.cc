// The buffers that a plan spills, and the bound on their bytes: compared with an exhaustive search of all choices.

#include "planner/explain/spill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "planner/planner.h"
#include "planner/problem/access_cost.h"
#include "tests/unit/planner/exhaustive.h"
#include "tests/unit/planner/problems.h"
#include "tests/unit/planner/random_problem.h"

namespace tenon::planner {
namespace {

constexpr PoolCost kFast = {.clock_hz = 100'000'000,
                            .read_bytes_per_cycle = 8,
                            .write_bytes_per_cycle = 8,
                            .read_latency_cycles = 0,
                            .write_latency_cycles = 0};
constexpr PoolCost kSlow = {.clock_hz = 100'000'000,
                            .read_bytes_per_cycle = 4,
                            .write_bytes_per_cycle = 4,
                            .read_latency_cycles = 9,
                            .write_latency_cycles = 4};

Problem TwoPools(int64_t capacity, const std::vector<IntervalRow>& rows) {
  Problem problem = IntervalProblem(rows);
  problem.pools = {MakePool("fast", capacity), MakePool("slow")};
  for (Buffer& buffer : problem.buffers) buffer.pools = {0, 1};
  return problem;
}

TEST(SpillTest, NothingIsSpilledIfAllFits) {
  const Problem problem = TwoPools(70, {{0, 9, 30}, {0, 9, 40}});
  const auto plan = PlanMemory(problem, "optimal");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_TRUE(SpillOf(problem, *plan).moves.empty());
}

TEST(SpillTest, ALeastCostInBytesIsTheBound) {
  const Problem problem = TwoPools(60, {{0, 9, 30}, {0, 9, 40}, {0, 9, 20}});
  const auto plan = PlanMemory(problem, "optimal");
  ASSERT_TRUE(plan.ok()) << plan.status();
  const Spill spill = SpillOf(problem, *plan);
  ASSERT_EQ(spill.moves.size(), 1U);
  EXPECT_EQ(spill.moves[0].from, 0);
  EXPECT_EQ(spill.moves[0].to, 1);
  EXPECT_EQ(spill.buffers(), 1);
  EXPECT_EQ(spill.bytes(), 30);
  EXPECT_EQ(spill.bound_bytes, 30);
}

TEST(SpillTest, APlanOfUnknownCostHasTheBoundOfLiveBytes) {
  const Problem problem = TwoPools(60, {{0, 9, 30}, {0, 9, 40}, {0, 9, 20}, {0, 9, 90}});
  const auto plan = PlanMemory(problem, "greedy_by_size");
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_FALSE(plan->cost.is_least);
  const Spill spill = SpillOf(problem, *plan);
  EXPECT_GE(spill.bytes(), 120);
  // The largest buffer fits in no case; of the others, 30 bytes are too many.
  EXPECT_EQ(spill.bound_bytes, 120);
}

/// The fewest bytes outside of their best pools in any choice in which every pool fits.
std::optional<int64_t> FewestBytes(const Problem& problem) {
  Problem open = problem;
  for (Pool& pool : open.pools) pool.capacity = kUnlimited;
  const AccessCosts wishes(open);
  std::optional<int64_t> fewest;
  std::vector<size_t> at(problem.buffers.size());
  for (bool more = true; more;) {
    int64_t bytes = 0;
    bool fits = true;
    for (size_t p = 0; p < problem.pools.size() && fits; ++p) {
      Problem part;
      part.pools = {problem.pools[p]};
      for (size_t i = 0; i < at.size(); ++i) {
        const int32_t pool = problem.buffers[i].pools[at[i]];
        if (pool != static_cast<int32_t>(p)) continue;
        const bool is_best = wishes.ChoicesOf(static_cast<int32_t>(i))[0].pool == pool;
        bytes += is_best ? 0 : problem.buffers[i].size;
        part.buffers.push_back(problem.buffers[i]);
        part.buffers.back().pools = {0};
      }
      const int64_t capacity = std::min<int64_t>(EffectiveCapacity(problem.pools[p]), 64);
      fits = Exhaustive(part).LeastSize(capacity).has_value();
    }
    if (fits && (!fewest || bytes < *fewest)) fewest = bytes;
    size_t i = 0;
    while (i < at.size() && ++at[i] == problem.buffers[i].pools.size()) at[i++] = 0;
    more = i < at.size();
  }
  return fewest;
}

TEST(SpillTest, NoChoiceSpillsFewerBytesThanTheBound) {
  uint32_t bounds = 0;
  uint32_t met = 0;
  const uint32_t rounds = Seeds(150);
  for (uint32_t seed = 0; seed < rounds; ++seed) {
    RandomProblem random(seed);
    RandomTraits traits{.buffers = 2 + static_cast<int32_t>(seed % 5), .max_size = 9};
    traits.pools = 2 + static_cast<int32_t>(seed % 2);
    traits.gaps = seed % 3 == 0;
    traits.groups = seed % 7 == 0;
    traits.constants = seed % 5 == 0;
    Problem problem = random.Make(traits);
    for (Pool& pool : problem.pools) {
      pool.capacity = random.Draw(4, 30);
      if (seed % 2 == 0) pool.cost = random.Draw(0, 1) == 0 ? kFast : kSlow;
    }
    for (Buffer& buffer : problem.buffers) buffer.bytes_read = random.Draw(0, 500);
    const std::optional<int64_t> fewest = FewestBytes(problem);
    for (const char* algorithm : {"optimal", "first_fit"}) {
      const auto plan = PlanMemory(problem, algorithm);
      if (!plan.ok()) continue;
      ASSERT_TRUE(fewest.has_value()) << seed;
      const Spill spill = SpillOf(problem, *plan);
      EXPECT_LE(spill.bound_bytes, *fewest) << seed << " " << algorithm;
      EXPECT_GE(spill.bytes(), *fewest) << seed << " " << algorithm;
      bounds += spill.bound_bytes > 0 ? 1 : 0;
      met += spill.bytes() > 0 && spill.bytes() == spill.bound_bytes ? 1 : 0;
    }
  }
  EXPECT_GT(bounds, rounds / 6);
  EXPECT_GT(met, rounds / 10);
}

}  // namespace
}  // namespace tenon::planner
