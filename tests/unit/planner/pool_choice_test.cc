// The choice between several pools: compares the cheapest choice that fits with an exhaustive
// search. TENON_CHOICE_ROUNDS sets the number of problems.

#include "planner/exact/pool_choice.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

#include "tests/unit/planner/exhaustive.h"
#include "tests/unit/planner/problems.h"
#include "tests/unit/planner/random_problem.h"

namespace tenon::planner {
namespace {

using ::testing::HasSubstr;

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

// All are live together: 60 bytes of fast memory for three buffers of 30, 40 and 20.
Problem HotAndCold() {
  Problem problem = IntervalProblem({{0, 9, 30}, {0, 9, 40}, {0, 9, 20}});
  problem.pools = {MakePool("fast", 60), MakePool("slow")};
  for (Buffer& buffer : problem.buffers) buffer.pools = {0, 1};
  return problem;
}

TEST(PoolChoiceTest, WithoutCostsAsManyBytesAsPossibleStayInTheFirstPool) {
  const auto plan = PlanMemory(HotAndCold(), "optimal");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->placements[0].pool, 1);
  EXPECT_EQ(plan->placements[1].pool, 0);
  EXPECT_EQ(plan->placements[2].pool, 0);
  EXPECT_EQ(plan->cost.spilled, 30);
  EXPECT_EQ(plan->cost.picoseconds, 0);
  EXPECT_TRUE(plan->cost.is_least);
  EXPECT_TRUE(plan->proven_optimal);
  EXPECT_TRUE(plan->pools[0].lower_bound.of_choice);
}

TEST(PoolChoiceTest, WhatIsUsedMostGetsTheFastPool) {
  Problem problem = HotAndCold();
  problem.pools[0].cost = kFast;
  problem.pools[1].cost = kSlow;
  problem.buffers[0].bytes_read = 1'000'000;
  problem.buffers[0].bytes_written = 30;
  problem.buffers[1].bytes_read = 40;
  problem.buffers[1].bytes_written = 40;
  problem.buffers[2].bytes_read = 500'000;
  auto plan = PlanMemory(problem, "optimal");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->placements[0].pool, 0);
  EXPECT_EQ(plan->placements[1].pool, 1);
  EXPECT_EQ(plan->placements[2].pool, 0);
  // 125,000 + 4 and 62,500 cycles in the fast pool, 10 x 10 + 10 x 5 in the slow one.
  EXPECT_EQ(plan->cost.picoseconds, (125'004 + 62'500 + 150) * int64_t{10'000});
  EXPECT_TRUE(plan->cost.is_least);
  // The order of the list does not matter now.
  for (Buffer& buffer : problem.buffers) buffer.pools = {1, 0};
  plan = PlanMemory(problem, "optimal");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->placements[0].pool, 0);
  EXPECT_EQ(plan->placements[1].pool, 1);
  plan = PlanMemory(problem, "first_fit");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->placements[0].pool, 0);
}

TEST(PoolChoiceTest, ProvesThatNoChoiceFits) {
  // Either pool takes one of the three.
  Problem problem = IntervalProblem({{0, 9, 30}, {0, 9, 30}, {0, 9, 30}});
  problem.pools = {MakePool("a", 50), MakePool("b", 50)};
  for (Buffer& buffer : problem.buffers) buffer.pools = {0, 1};
  const auto plan = PlanMemory(problem, "optimal");
  EXPECT_TRUE(IsProvenInfeasible(plan.status())) << plan.status();
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("no choice among the pools"));
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("60 bytes in pool `a`"));
}

TEST(PoolChoiceTest, TheCheckerSeesAnotherCost) {
  Problem problem = HotAndCold();
  const auto plan = PlanMemory(problem, "optimal");
  ASSERT_TRUE(plan.ok());
  Plan damaged = *plan;
  ++damaged.cost.spilled;
  EXPECT_EQ(CheckPlan(problem, damaged).fault, PlanFault::kCost);
  damaged = *plan;
  ++damaged.cost.picoseconds;
  EXPECT_EQ(CheckPlan(problem, damaged).fault, PlanFault::kCost);
  damaged = *plan;
  damaged.cost.is_least = false;
  EXPECT_EQ(CheckPlan(problem, damaged).fault, PlanFault::kOptimality);
  damaged = *plan;
  damaged.pools[0].lower_bound.of_choice = false;
  EXPECT_EQ(CheckPlan(problem, damaged).fault, PlanFault::kWitness);
  damaged = *plan;
  damaged.pools[0].lower_bound.live = {0};
  damaged.pools[0].lower_bound.bytes = 30;
  EXPECT_EQ(CheckPlan(problem, damaged).fault, PlanFault::kWitness);
  // A plan with everything in the first pool needs no proof, and must not be reported as unproven.
  problem.pools[0].capacity = kUnlimited;
  const auto all = PlanMemory(problem, "optimal");
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(all->proven_optimal);
  EXPECT_EQ(CheckPlan(problem, *all).on_trust, 0);
  damaged = *all;
  damaged.cost.is_least = damaged.proven_optimal = false;
  EXPECT_EQ(CheckPlan(problem, damaged).fault, PlanFault::kCost);
}

// The least price of any choice in which every pool fits, by exhaustive search.
std::optional<Price> LeastPrice(const Problem& problem) {
  const AccessCosts costs(problem);
  std::optional<Price> least;
  std::vector<size_t> at(problem.buffers.size());
  for (bool more = true; more;) {
    std::vector<int32_t> pools;
    Price price;
    for (size_t i = 0; i < at.size(); ++i) {
      pools.push_back(problem.buffers[i].pools[at[i]]);
      price += costs.Of(static_cast<int32_t>(i), pools.back());
    }
    bool fits = true;
    for (size_t p = 0; p < problem.pools.size() && fits; ++p) {
      Problem part;
      part.pools = {problem.pools[p]};
      for (size_t i = 0; i < pools.size(); ++i) {
        if (pools[i] != static_cast<int32_t>(p)) continue;
        part.buffers.push_back(problem.buffers[i]);
        part.buffers.back().pools = {0};
      }
      const int64_t capacity = std::min<int64_t>(EffectiveCapacity(problem.pools[p]), 64);
      fits = Exhaustive(part).LeastSize(capacity).has_value();
    }
    if (fits && (!least || price < *least)) least = price;
    size_t i = 0;
    while (i < at.size() && ++at[i] == problem.buffers[i].pools.size()) at[i++] = 0;
    more = i < at.size();
  }
  return least;
}

uint32_t Rounds() {
  const char* rounds = std::getenv("TENON_CHOICE_ROUNDS");
  return rounds == nullptr ? 80 : static_cast<uint32_t>(std::atoi(rounds));
}

TEST(PoolChoiceTest, EqualsTryingAllChoices) {
  uint32_t infeasible = 0;
  uint32_t spilled = 0;
  const uint32_t rounds = Rounds();
  for (uint32_t seed = 0; seed < rounds; ++seed) {
    RandomProblem random(seed);
    RandomTraits traits{.buffers = 2 + static_cast<int32_t>(seed % 5), .max_size = 9};
    traits.pools = 2 + static_cast<int32_t>(seed % 2);
    traits.gaps = seed % 3 == 0;
    traits.groups = seed % 7 == 0;
    traits.constants = seed % 5 == 0;
    Problem problem = random.Make(traits);
    for (Pool& pool : problem.pools) {
      pool.capacity = random.Draw(0, seed % 4 == 0 ? 12 : 30);
      if (seed % 2 == 0) pool.cost = random.Draw(0, 1) == 0 ? kFast : kSlow;
    }
    for (Buffer& buffer : problem.buffers) buffer.bytes_read = random.Draw(0, 500);
    const std::optional<Price> least = LeastPrice(problem);
    const auto plan = PlanMemory(problem, "optimal");
    ASSERT_EQ(plan.ok(), least.has_value()) << seed << plan.status();
    if (!least) {
      EXPECT_TRUE(IsProvenInfeasible(plan.status())) << seed << plan.status();
      ++infeasible;
      continue;
    }
    EXPECT_EQ(plan->cost.picoseconds, least->picoseconds) << seed;
    EXPECT_EQ(plan->cost.spilled, least->spilled) << seed;
    EXPECT_TRUE(plan->cost.is_least) << seed;
    EXPECT_TRUE(NaiveJudge(problem, plan->placements).Accepts()) << seed;
    if (*least > AccessCosts(problem).Least()) ++spilled;
  }
  EXPECT_GT(infeasible, rounds / 20);
  EXPECT_GT(spilled, rounds / 6);
}

TEST(PoolChoiceTest, ConstantsEqualTryingAllChoices) {
  uint32_t proven = 0;
  uint32_t solved = 0;
  const uint32_t rounds = Rounds();
  for (uint32_t seed = 0; seed < rounds; ++seed) {
    RandomProblem random(seed);
    RandomTraits traits{.buffers = 2 + static_cast<int32_t>(seed % 5), .max_size = 9};
    traits.pools = 2 + static_cast<int32_t>(seed % 2);
    Problem problem = random.Make(traits);
    problem.relations.clear();
    for (Pool& pool : problem.pools) {
      pool.capacity = random.Draw(0, 25);
      pool.cost = random.Draw(0, 1) == 0 ? kFast : kSlow;
      // No run writes constants.
      pool.cost.write_bytes_per_cycle = 0;
      pool.alignment = seed % 3 == 0 ? 4 : 1;
    }
    for (Buffer& buffer : problem.buffers) {
      buffer.kind = BufferKind::kConstant;
      buffer.fixed_offset.reset();
      buffer.bytes_read = random.Draw(0, 500);
      buffer.bytes_written = 0;
      if (seed % 3 == 0) buffer.alignment = 1;
    }
    const std::optional<Price> least = LeastPrice(problem);
    const auto plan = PlanMemory(problem, "optimal");
    ASSERT_EQ(plan.ok(), least.has_value()) << seed << plan.status();
    if (!least) continue;
    ++solved;
    EXPECT_GT(plan->cost.picoseconds, 0) << seed;
    EXPECT_LE((Price{plan->cost.bound_picoseconds, plan->cost.bound_spilled}), *least) << seed;
    if (plan->cost.is_least) {
      ++proven;
      EXPECT_EQ((Price{plan->cost.picoseconds, plan->cost.spilled}), *least) << seed;
    }
  }
  EXPECT_GT(solved, rounds / 4);
  EXPECT_GT(proven, solved * 3 / 4);
}

// Three memories without room for all: the plan is close to the bound, and needs no search of
// offsets.
TEST(PoolChoiceTest, ManyConstantsAreCloseToTheBound) {
  Problem problem;
  problem.pools.resize(3);
  const PoolCost costs[] = {kSlow, {100'000'000, 4, 0, 2, 0}, kFast};
  const int64_t capacities[] = {700'000, 200'000, 100'000};
  for (size_t p = 0; p < 3; ++p) {
    problem.pools[p] = MakePool(fmt::format("p{}", p), capacities[p]);
    problem.pools[p].cost = costs[p];
    problem.pools[p].alignment = 16;
  }
  RandomProblem random(1);
  for (int i = 0; i < 300; ++i) {
    Buffer& buffer = problem.buffers.emplace_back();
    buffer.name = fmt::format("c{}", i);
    buffer.kind = BufferKind::kConstant;
    buffer.size = random.Draw(1, i % 10 == 0 ? 20'000 : 2'000);
    buffer.bytes_read = buffer.size * random.Draw(1, 100);
    buffer.pools = {0, 1, 2};
  }
  int64_t nodes = 0;
  const auto plan = PlanMemory(problem, "optimal", {.nodes = &nodes});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_LT(CostGapPercent(plan->cost), 0.5);
  EXPECT_LT(nodes, 1'000'000);
}

}  // namespace
}  // namespace tenon::planner
