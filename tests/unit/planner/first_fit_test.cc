// Tenon's own placement with windows, groups, relations and pools.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string_view>
#include <vector>

#include "planner/heuristics/gap_placer.h"
#include "planner/problem/bound.h"
#include "tests/unit/planner/laws.h"
#include "tests/unit/planner/problems.h"

namespace tenon::planner {
namespace {

using ::testing::ElementsAre;

TEST(FirstFitTest, UsesHolesBetweenLifetimes) {
  Problem problem = IntervalProblem({{0, 9, 100}, {4, 5, 100}});
  problem.buffers[0].lifetimes = {{0, 4}, {6, 10}};
  const auto plan = PlanMemory(problem, "first_fit");
  EXPECT_THAT(PoolSizes(plan), ElementsAre(100));
  EXPECT_TRUE(plan->proven_optimal);
}

TEST(FirstFitTest, UsesTheRestOfAWindow) {
  Problem problem = IntervalProblem({{0, 9, 100}, {4, 5, 60}});
  problem.buffers[0].gaps = {{4, 6, 0, 40}};
  const auto plan = PlanMemory(problem, "first_fit");
  EXPECT_THAT(Offsets(plan), ElementsAre(0, 40));
  EXPECT_TRUE(plan->proven_optimal);
  // TVM's algorithms do not know windows and keep the two apart.
  EXPECT_THAT(PoolSizes(PlanMemory(problem, "hill_climb")), ElementsAre(160));
}

TEST(FirstFitTest, ModelsThatNeverRunTogetherShareOneArena) {
  Problem problem = IntervalProblem({{0, 9, 100}, {0, 9, 70}, {0, 9, 30}});
  problem.buffers[0].groups = {0};
  problem.buffers[1].groups = {1};
  for (std::string_view name : AlgorithmNames()) {
    const auto plan = PlanMemory(problem, name);
    EXPECT_THAT(PoolSizes(plan), ElementsAre(130)) << name << ": the third is shared";
    EXPECT_TRUE(plan->proven_optimal);
  }
}

TEST(FirstFitTest, AnOutputTrailsItsDyingInput) {
  // b may begin up to 8 bytes below a, or at any place without overlap.
  Problem problem = IntervalProblem({{0, 4, 64}, {4, 9, 64}});
  problem.relations = {{.kind = RelationKind::kOffsetDifference,
                        .a = 0,
                        .b = 1,
                        .allowed = {{-8, -4}, {64, INT64_MAX}, {INT64_MIN, -64}}}};
  const auto plan = PlanMemory(problem, "first_fit");
  EXPECT_THAT(PoolSizes(plan), ElementsAre(68));
}

TEST(FirstFitTest, AliasesStayTogether) {
  Problem problem = IntervalProblem({{0, 9, 64}, {0, 9, 16}, {0, 9, 50}});
  problem.pools = {MakePool("small", 70), MakePool("large")};
  for (Buffer& buffer : problem.buffers) buffer.pools = {0, 1};
  problem.buffers[0].pools = {1};
  problem.relations = {{.kind = RelationKind::kOffsetDifference,
                        .a = 0,
                        .b = 1,
                        .allowed = {{48, 48}},
                        .same_pool = true}};
  const auto plan = PlanMemory(problem, "first_fit");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(PoolNumbers(plan), ElementsAre(1, 1, 0));
  EXPECT_EQ(plan->placements[1].offset - plan->placements[0].offset, 48);
}

TEST(FirstFitTest, FixedBuffersComeFirst) {
  Problem problem = IntervalProblem({{0, 9, 64}, {0, 9, 16}});
  problem.buffers[1].fixed_offset = 8;
  EXPECT_THAT(Offsets(PlanMemory(problem, "first_fit")), ElementsAre(24, 8));
}

TEST(FirstFitTest, PoolAlignmentAndBaseOffset) {
  Problem problem = IntervalProblem({{0, 9, 5}, {0, 9, 5}});
  problem.pools[0].alignment = 32;
  problem.pools[0].base_offset = 4;
  const auto plan = PlanMemory(problem, "first_fit");
  EXPECT_THAT(PoolSizes(plan), ElementsAre(28 + 32 + 5));
  EXPECT_TRUE(plan->proven_optimal);
}

TEST(FirstFitTest, SpillsWhatDoesNotFit) {
  Problem problem = IntervalProblem({{0, 9, 60}, {0, 9, 50}, {0, 9, 40}});
  problem.pools = {MakePool("fast", 100), MakePool("slow")};
  for (Buffer& buffer : problem.buffers) buffer.pools = {0, 1};
  const auto plan = PlanMemory(problem, "first_fit");
  EXPECT_THAT(PoolSizes(plan), ElementsAre(100, 50));
}

TEST(BoundTest, AlignmentCounts) {
  const Problem problem = IntervalProblem({{0, 9, 17}, {0, 9, 10}, {0, 9, 3}}, 16);
  const LowerBound bound = ComputeLowerBounds(problem)[0];
  EXPECT_EQ(bound.bytes, 16 + 16 + 17) << "the largest rounding is on top";
}

TEST(BoundTest, WitnessIsTheFirstPeak) {
  const Problem problem = IntervalProblem({{0, 9, 10}, {2, 3, 5}, {6, 7, 5}});
  const LowerBound bound = ComputeLowerBounds(problem)[0];
  EXPECT_EQ(bound.bytes, 15);
  EXPECT_EQ(bound.time, 2);
  EXPECT_THAT(bound.live, ElementsAre(0, 1));
}

TEST(BoundTest, PairsThatMeetAtDifferentTimes) {
  // Each pair is live together at some time, but never all three.
  Problem problem = IntervalProblem({{0, 5, 10}, {0, 5, 10}, {0, 5, 10}});
  problem.buffers[0].lifetimes = {{0, 4}};
  problem.buffers[1].lifetimes = {{0, 2}, {4, 6}};
  problem.buffers[2].lifetimes = {{2, 4}, {4, 6}};
  const LowerBound bound = ComputeLowerBounds(problem)[0];
  EXPECT_EQ(bound.bytes, 30);
  EXPECT_FALSE(bound.time.has_value());
  EXPECT_THAT(PoolSizes(PlanMemory(problem, "first_fit")), ElementsAre(30));
}

TEST(BoundTest, BuffersThatMayShareCountOnce) {
  Problem problem = IntervalProblem({{0, 9, 10}, {0, 9, 30}, {0, 9, 7}});
  problem.relations = {{.kind = RelationKind::kMayShare, .a = 0, .b = 1, .allowed = {}}};
  const LowerBound bound = ComputeLowerBounds(problem)[0];
  EXPECT_EQ(bound.bytes, 37);
  EXPECT_THAT(bound.live, ElementsAre(1, 2));
}

TEST(BoundTest, OnlyCountsBuffersThatMustBeInThePool) {
  Problem problem = Mobilenet();
  const std::vector<LowerBound> bounds = ComputeLowerBounds(problem);
  EXPECT_EQ(bounds[0].bytes, 0);
  EXPECT_EQ(bounds[1].bytes, 802816 + 314646);
}

// Crowded buffers use another lookup, which is disabled if any buffer has a fixed offset.
TEST(FirstFitTest, CrowdedBuffersGoWhereOthersWould) {
  for (const std::string_view law : LawProblem::kLaws) {
    for (const int64_t alignment : {1, 64}) {
      Problem problem = LawProblem(9).Make(law, 600);
      for (size_t i = 0; i < 600; i += 3) problem.buffers[i].alignment = alignment;
      Problem with_fixed = problem;
      Buffer& fixed = with_fixed.buffers.emplace_back();
      fixed.pools = {0};
      fixed.fixed_offset = 0;
      std::vector<int32_t> order(600);
      std::iota(order.begin(), order.end(), 0);
      const PairRules rules(problem);
      const PairRules other_rules(with_fixed);
      for (const Fit fit : {Fit::kFirst, Fit::kBest}) {
        const auto never = [] { return false; };
        const auto layout = GapPlacer(problem, rules).Place(order, fit, never);
        auto other = GapPlacer(with_fixed, other_rules).Place(order, fit, never);
        other->placements.pop_back();
        EXPECT_EQ(layout->placements, other->placements) << law << alignment;
      }
    }
  }
}

}  // namespace
}  // namespace tenon::planner
