#include "planner/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner/problems.h"
#include "tests/unit/planner/random_problem.h"

namespace tenon::planner {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TraitsTest, SayWhatAlgorithmsDo) {
  for (std::string_view name : AlgorithmNames()) {
    ASSERT_NE(Traits(name), nullptr) << name;
    EXPECT_EQ(Traits(name)->name, name);
    Problem problem = MobilenetInOnePool(2'000'000);
    problem.buffers[0].fixed_offset = 0;
    const bool refused =
        PlanMemory(problem, name).status().code() == absl::StatusCode::kUnimplemented;
    EXPECT_EQ(refused, !Traits(name)->supports_relations) << name;
  }
  EXPECT_EQ(Traits("nobody"), nullptr);
  EXPECT_TRUE(IsTvmAlgorithm("hill_climb"));
  EXPECT_FALSE(IsTvmAlgorithm("optimal"));
  EXPECT_FALSE(IsTvmAlgorithm("nobody"));
}

TEST(PlannerTest, NamesAreKnownAndTheDefaultIsAmongThem) {
  EXPECT_THAT(AlgorithmNames(), Contains(kDefaultAlgorithm));
  for (std::string_view name : AlgorithmNames()) {
    const auto plan = PlanMemory(IntervalProblem({{0, 1, 4}}), name);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->algorithm, name);
  }
}

TEST(PlannerTest, UnknownNameListsTheKnownOnes) {
  const auto plan = PlanMemory({}, "greedy");
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(plan.status().message()),
              HasSubstr("unknown algorithm `greedy`, expected one of optimal, first_fit, best_fit, "
                        "greedy_by_size, greedy_by_conflicts, hill_climb"));
}

TEST(PlannerTest, NothingToPlan) {
  for (std::string_view name : AlgorithmNames()) {
    EXPECT_THAT(PoolSizes(PlanMemory({}, name)), ElementsAre()) << name;
    Problem problem;
    problem.pools = {MakePool("unused", 0)};
    EXPECT_THAT(PoolSizes(PlanMemory(problem, name)), ElementsAre(0)) << name;
    EXPECT_TRUE(PlanMemory(problem, name)->proven_optimal);
  }
}

TEST(PlannerTest, BuffersWithoutBytesOrTime) {
  Problem problem = IntervalProblem({{0, 9, 0}, {0, 9, 16}, {3, 3, 0}, {0, 0, 8}});
  problem.buffers[3].lifetimes = {{4, 4}};
  for (std::string_view name : AlgorithmNames()) {
    EXPECT_THAT(PoolSizes(PlanMemory(problem, name)), ElementsAre(16)) << name;
  }
}

TEST(PlannerTest, SizesNearTheLimit) {
  const int64_t huge = int64_t{1} << 61;
  Problem problem = IntervalProblem({{0, 4, huge}, {4, 8, huge - 1}, {8, 12, huge}});
  for (std::string_view name : AlgorithmNames()) {
    EXPECT_THAT(PoolSizes(PlanMemory(problem, name)), ElementsAre(2 * huge - 1)) << name;
  }
  problem.buffers[1].size = kMaxBytes;
  for (std::string_view name : AlgorithmNames()) {
    EXPECT_TRUE(IsProvenInfeasible(PlanMemory(problem, name).status())) << name;
  }
}

TEST(PlannerTest, ManySizesNearTheLimit) {
  const Problem problem = IntervalProblem(std::vector<IntervalRow>(100, {0, 1, kMaxBytes}));
  for (std::string_view name : AlgorithmNames()) {
    EXPECT_TRUE(IsProvenInfeasible(PlanMemory(problem, name).status())) << name;
  }
}

TEST(PlannerTest, ABufferLargerThanEveryPool) {
  Problem problem = IntervalProblem({{0, 1, 100}});
  problem.pools = {MakePool("small", 10), MakePool("middle", 60)};
  problem.buffers[0].pools = {0, 1};
  const auto plan = PlanMemory(problem, "first_fit");
  EXPECT_TRUE(IsProvenInfeasible(plan.status()));
  EXPECT_THAT(std::string(plan.status().message()),
              HasSubstr("buffer `0` needs 100 bytes (40 more than its largest candidate, "
                        "pool `middle` of 60 bytes)"));
}

TEST(PlannerTest, AnUndecidedFailureSaysWhatItWouldNeed) {
  // Aligned to 4, 4 and 2: no plan is smaller than 10, but the bound only uses 2.
  Problem problem = IntervalProblem({{0, 9, 3}, {0, 9, 3}, {0, 9, 2}}, 4);
  problem.buffers[2].alignment = 2;
  problem.pools[0].capacity = 9;
  const auto plan = PlanMemory(problem, "first_fit");
  ASSERT_FALSE(plan.ok());
  EXPECT_FALSE(IsProvenInfeasible(plan.status()));
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("first_fit found no room for"));
  EXPECT_THAT(std::string(plan.status().message()),
              HasSubstr("it fits with 10 bytes in pool `default` (1 more)"));
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("live at time 0"));
}

// With few steps, `optimal` finds no plan for one pool, and a larger one for another pool.
TEST(PlannerTest, EachPoolHasTheBetterOfTwoPlans) {
  const std::vector<std::pair<uint32_t, std::vector<int64_t>>> sizes = {
      {365, {23, 40}}, {754, {23, 0, 23}}, {1457, {19, 23}}, {1541, {18, 0, 41}}};
  for (const auto& [seed, least] : sizes) {
    RandomProblem random(seed);
    RandomTraits traits;
    traits.pools = static_cast<int32_t>(random.Draw(2, 3));
    traits.buffers = static_cast<int32_t>(random.Draw(3, 14));
    traits.max_size = 20;
    traits.holes = seed % 2 != 0;
    traits.constants = seed % 3 == 0;
    traits.gaps = seed % 5 == 0;
    Problem problem = random.Make(traits);
    problem.pools.back().capacity = random.Draw(10, 80);
    const PlanOptions few = {
        .fall_back = false, .work_limit = 10, .node_limit = 0, .explain = false};
    EXPECT_EQ(PoolSizes(PlanMemory(problem, "optimal", few)), least) << seed;
  }
}

TEST(PlannerTest, TvmAlgorithmsSayWhatTheyDoNotSupport) {
  Problem fixed = IntervalProblem({{0, 1, 4}});
  fixed.buffers[0].fixed_offset = 8;
  Problem alias = IntervalProblem({{0, 1, 4}, {0, 1, 4}});
  alias.relations = {
      {.kind = RelationKind::kOffsetDifference, .a = 0, .b = 1, .allowed = {{0, 0}}}};
  for (std::string_view name : {"greedy_by_size", "greedy_by_conflicts", "hill_climb"}) {
    const auto plan = PlanMemory(fixed, name);
    EXPECT_EQ(plan.status().code(), absl::StatusCode::kUnimplemented);
    EXPECT_THAT(std::string(plan.status().message()), HasSubstr("fixed offset of buffer `0`"));
    EXPECT_EQ(PlanMemory(alias, name).status().code(), absl::StatusCode::kUnimplemented);
  }
  EXPECT_THAT(PoolSizes(PlanMemory(fixed, "first_fit")), ElementsAre(12));
  EXPECT_THAT(PoolSizes(PlanMemory(alias, "first_fit")), ElementsAre(4));
}

TEST(PlannerTest, TvmAlgorithmsKeepMixedAlignments) {
  Problem problem = IntervalProblem({{0, 1, 12}, {0, 1, 6}, {0, 1, 3}}, 4);
  problem.buffers[2].alignment = 64;
  for (std::string_view name : {"greedy_by_size", "greedy_by_conflicts", "hill_climb"}) {
    const auto plan = PlanMemory(problem, name);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->placements[2].offset % 64, 0) << name;
  }
}

}  // namespace
}  // namespace tenon::planner
