// Bounds by search over networks whose buffers may overlap: witnesses are small enough that the
// checker repeats the search.

#include "planner/exact/shrink_witness.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "planner/planner.h"
#include "tests/unit/planner/problems.h"

namespace tenon::planner {
namespace {

// A chain of operators; buffer k is the output of operator k. Each output may begin a random
// distance below its dying input. Every fifth buffer is read again three operators later, so that
// it does not die at its first reader.
Problem Network(uint32_t seed, int count) {
  std::mt19937 random(seed);
  Problem problem;
  problem.pools = {MakePool("pool")};
  for (int k = 0; k < count; ++k) {
    const int64_t size = 256 * (1 + random() % 40);
    const int last = k % 5 == 0 ? k + 4 : k + 1;
    problem.buffers.push_back(LiveBuffer("t" + std::to_string(k), size, k, last, 16));
  }
  for (int k = 1; k < count; ++k) {
    const int64_t distance = -static_cast<int64_t>(16 * (random() % 30));
    const int64_t input = problem.buffers[Index(k - 1)].size;
    if ((k - 1) % 5 == 0) continue;
    problem.relations.push_back({.kind = RelationKind::kOffsetDifference,
                                 .a = k - 1,
                                 .b = k,
                                 .allowed = {{kFarBelow, distance}, {input, kFarAbove}}});
  }
  return problem;
}

TEST(ShrinkWitnessTest, NetworksOfManyBuffersAreProvenWithoutTrust) {
  int by_search = 0;
  for (uint32_t seed = 0; seed < 8; ++seed) {
    const Problem problem = Network(seed, 110);
    const auto plan = PlanMemory(problem, "optimal");
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_TRUE(plan->proven_optimal) << seed;
    const PlanVerdict verdict = CheckPlan(problem, *plan);
    EXPECT_TRUE(verdict.ok()) << verdict.message;
    EXPECT_EQ(verdict.on_trust, 0) << seed;
    by_search += plan->pools[0].lower_bound.kind == BoundKind::kSearch ? 1 : 0;
  }
  EXPECT_GT(by_search, 2);
}

TEST(ShrinkWitnessTest, KeepsTheBoundAndLeavesOutWhatItDoesNotNeed) {
  // `a` and `b` begin at multiples of 4, so 14 bytes need 17; the rest is small and elsewhere.
  Problem problem;
  problem.pools = {MakePool("pool")};
  problem.buffers = {LiveBuffer("a", 5, 0, 3, 4), LiveBuffer("b", 5, 0, 3, 4),
                     LiveBuffer("c", 4, 0, 3)};
  LowerBound bound{.bytes = 17, .time = std::nullopt, .live = {0, 1, 2}};
  bound.kind = BoundKind::kSearch;
  bound.searched = 9;
  for (int32_t k = 3; k < 60; ++k) {
    problem.buffers.push_back(LiveBuffer("small", 1, k, k + 1));
    bound.live.push_back(k);
  }
  const PairRules rules(problem);
  const LowerBound small = ShrinkWitness(problem, rules, 0, PlanOptions(), bound);
  EXPECT_EQ(small.bytes, 17);
  EXPECT_EQ(small.kind, BoundKind::kSearch);
  EXPECT_GE(small.searched, 1);
  EXPECT_EQ(std::vector<int32_t>(small.live.begin(), small.live.end()),
            (std::vector<int32_t>{0, 1, 2}));
}

}  // namespace
}  // namespace tenon::planner
