// Random problems: the checker and a naive judge accept every plan and agree on arbitrary plans,
// and no plan is smaller than its bound.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/problem/bound.h"
#include "tests/unit/planner/naive_judge.h"
#include "tests/unit/planner/problems.h"
#include "tests/unit/planner/random_problem.h"

namespace tenon::planner {
namespace {

std::vector<RandomTraits> AllTraits() {
  return {
      {},
      {.buffers = 12, .max_size = 20},
      {.pools = 2},
      {.buffers = 10, .pools = 3},
      {.holes = true},
      {.gaps = true},
      {.groups = true},
      {.constants = true},
      {.relations = true},
      {.fixed = true},
      {.buffers = 9,
       .pools = 2,
       .holes = true,
       .gaps = true,
       .groups = true,
       .relations = true,
       .constants = true,
       .fixed = true},
  };
}

bool IsHonestRefusal(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnimplemented ||
         status.code() == absl::StatusCode::kNotFound ||
         status.code() == absl::StatusCode::kResourceExhausted;
}

TEST(PropertyTest, EveryPlanIsRight) {
  int plans = 0;
  int calls = 0;
  for (const RandomTraits& traits : AllTraits()) {
    for (uint32_t seed = 0; seed < Seeds(50); ++seed) {
      const Problem problem = RandomProblem(seed).Make(traits);
      ASSERT_TRUE(ValidateProblem(problem).ok()) << ValidateProblem(problem);
      for (std::string_view name : AlgorithmNames()) {
        const auto plan = PlanMemory(problem, name, {.work_limit = 2000});
        ++calls;
        if (!plan.ok()) {
          EXPECT_TRUE(IsHonestRefusal(plan.status())) << name << seed << plan.status();
          continue;
        }
        ++plans;
        EXPECT_TRUE(NaiveJudge(problem, plan->placements).Accepts()) << name << " " << seed;
      }
    }
  }
  EXPECT_GT(plans, calls * 3 / 4);
}

// Without known speeds, the cost is the number of bytes outside the first pool.
PlanCost CostOfPools(const Problem& problem, const std::vector<Placement>& placements) {
  PlanCost cost{.is_least = true};
  for (size_t i = 0; i < placements.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    int64_t place = 0;
    int64_t best = INT64_MAX;
    for (int64_t k = 0; k < std::ssize(buffer.pools); ++k) {
      const int32_t pool = buffer.pools[Index(k)];
      if (pool == placements[i].pool) place = k;
      if (buffer.size <= EffectiveCapacity(problem.pools[Index(pool)])) best = std::min(best, k);
    }
    cost.spilled += place * buffer.size;
    if (best * buffer.size != place * buffer.size) cost.is_least = false;
  }
  return cost;
}

// Random placements, most of which are invalid.
TEST(PropertyTest, CheckerAgreesWithTheNaiveJudge) {
  int accepted = 0;
  for (const RandomTraits& base : AllTraits()) {
    RandomTraits traits = base;
    traits.buffers = 4;
    for (uint32_t seed = 0; seed < 400; ++seed) {
      RandomProblem random(seed);
      const Problem problem = random.Make(traits);
      Plan plan;
      plan.pools.resize(problem.pools.size());
      for (const Buffer& buffer : problem.buffers) {
        const auto pool = static_cast<int32_t>(random.Draw(0, traits.pools - 1));
        const int64_t base_offset = problem.pools[Index(pool)].base_offset;
        const int64_t step = std::max(buffer.alignment, problem.pools[Index(pool)].alignment);
        const int64_t offset = AlignOffset(random.Draw(0, 24), step, base_offset);
        plan.placements.push_back({pool, offset});
        int64_t& size = plan.pools[Index(pool)].size;
        size = std::max(size, offset + buffer.size);
      }
      plan.cost = CostOfPools(problem, plan.placements);
      plan.proven_optimal =
          plan.cost.is_least && std::all_of(plan.pools.begin(), plan.pools.end(),
                                            [](const PoolPlan& pool) { return pool.size == 0; });
      const PlanVerdict verdict = CheckPlan(problem, plan);
      EXPECT_EQ(verdict.ok(), NaiveJudge(problem, plan.placements).Accepts())
          << seed << ": " << verdict.message;
      accepted += verdict.ok() ? 1 : 0;
    }
  }
  EXPECT_GT(accepted, 100);
}

// The smallest size of the only pool over all placements with offsets up to `limit`.
int64_t ExhaustiveSize(const Problem& problem, int64_t limit) {
  std::vector<Placement> placements(problem.buffers.size());
  int64_t best = INT64_MAX;
  auto place = [&](auto&& self, size_t i, int64_t size) -> void {
    if (size >= best) return;
    if (i == problem.buffers.size()) {
      if (NaiveJudge(problem, placements).Accepts()) best = size;
      return;
    }
    for (int64_t offset = 0; offset <= limit; ++offset) {
      placements[i] = {0, offset};
      self(self, i + 1, std::max(size, offset + problem.buffers[i].size));
    }
  };
  place(place, 0, 0);
  return best;
}

TEST(PropertyTest, NothingIsSmallerThanItsBound) {
  int tight = 0;
  int feasible = 0;
  for (RandomTraits traits : AllTraits()) {
    traits.buffers = 3;
    traits.pools = 1;
    traits.max_size = 5;
    for (uint32_t seed = 1000; seed < 1030; ++seed) {
      const Problem problem = RandomProblem(seed).Make(traits);
      const int64_t best = ExhaustiveSize(problem, 23);
      if (best == INT64_MAX) continue;
      const int64_t bound = ComputeLowerBounds(problem)[0].bytes;
      EXPECT_LE(bound, best) << seed;
      ++feasible;
      tight += bound == best ? 1 : 0;
      const auto plan = PlanMemory(problem, "first_fit");
      if (plan.ok()) {
        EXPECT_GE(plan->pools[0].size, best) << seed;
      }
    }
  }
  EXPECT_GT(tight, feasible / 2);
}

TEST(PropertyTest, TheSameProblemGivesTheSamePlan) {
  const Problem problem = RandomProblem(5).Make({.buffers = 40, .max_size = 1000, .pools = 2});
  for (std::string_view name : AlgorithmNames()) {
    const auto one = PlanMemory(problem, name, {.node_limit = 300'000});
    const auto two = PlanMemory(problem, name, {.node_limit = 300'000});
    ASSERT_TRUE(one.ok() && two.ok());
    EXPECT_EQ(one->placements, two->placements) << name;
  }
}

}  // namespace
}  // namespace tenon::planner
