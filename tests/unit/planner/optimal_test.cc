// The exact search: equal to an exhaustive one on small problems, quick on the hard ones of the
// corpus, and never more certain than it may be. TENON_OPTIMAL_ROUNDS sets the number of problems.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/unit/planner/exhaustive.h"
#include "tests/unit/planner/problems.h"
#include "tests/unit/planner/random_problem.h"

namespace tenon::planner {
namespace {

using ::testing::HasSubstr;

uint32_t Rounds() {
  const char* rounds = std::getenv("TENON_OPTIMAL_ROUNDS");
  return rounds == nullptr ? 3000 : static_cast<uint32_t>(std::atoi(rounds));
}

// Rarely all at once: relations and windows leave little of what the others test.
RandomTraits Traits(uint32_t seed) {
  RandomTraits traits;
  traits.buffers = 2 + static_cast<int32_t>(seed % 11);
  traits.max_size = 1 + seed / 11 % 7;
  const uint32_t kind = seed / 77 % 16;
  traits.gaps = (kind & 1) != 0;
  traits.relations = (kind & 2) != 0;
  traits.holes = (kind & 5) == 4;
  traits.constants = (kind & 12) == 12;
  traits.fixed = (kind & 12) == 8;
  traits.groups = kind == 7 || kind == 9;
  return traits;
}

TEST(OptimalTest, EqualsExhaustiveSearch) {
  int searched = 0;
  int on_trust = 0;
  int infeasible = 0;
  const uint32_t rounds = Rounds();
  for (uint32_t seed = 0; seed < rounds; ++seed) {
    RandomProblem random(seed);
    Problem problem = random.Make(Traits(seed));
    if (seed % 3 == 0) problem.pools[0].capacity = random.Draw(4, 24);
    const int64_t capacity = EffectiveCapacity(problem.pools[0]);
    const auto least = Exhaustive(problem).LeastSize(std::min<int64_t>(capacity, 64));
    // Minimising takes a pool without limit; those of the others are for deciding.
    const auto plan = PlanMemory(problem, "optimal");
    if (!least) {
      if (capacity <= 64) {
        ASSERT_TRUE(IsProvenInfeasible(plan.status())) << seed << plan.status();
        ++infeasible;
      }
      continue;
    }
    ASSERT_TRUE(plan.ok()) << seed << " " << plan.status();
    const PoolPlan& pool = plan->pools[0];
    ASSERT_TRUE(NaiveJudge(problem, plan->placements).Accepts()) << seed;
    ASSERT_LE(pool.lower_bound.bytes, *least) << seed;
    ASSERT_GE(pool.size, *least) << seed;
    if (problem.pools[0].capacity != kUnlimited) continue;
    ASSERT_EQ(pool.size, *least) << seed;
    ASSERT_TRUE(plan->proven_optimal) << seed;
    on_trust += CheckPlan(problem, *plan).on_trust;
    searched += pool.lower_bound.kind == BoundKind::kSearch ? 1 : 0;
  }
  EXPECT_LE(on_trust, searched / 10);
  EXPECT_GT(searched, static_cast<int>(rounds / 50));
  EXPECT_GT(infeasible, static_cast<int>(rounds / 50));
}

}  // namespace
}  // namespace tenon::planner
