// The problem of the exact search, and the lower bounds it starts from.

#include "planner/exact/packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "planner/problem/bound.h"
#include "tests/unit/planner/problems.h"

namespace tenon::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::optional<std::vector<Packing>> PackingsOf(const Problem& problem) {
  std::vector<int32_t> all(problem.buffers.size());
  std::iota(all.begin(), all.end(), 0);
  const PairRules rules(problem);
  EXPECT_TRUE(IsPlain(problem, rules, all));
  return MakePackings(problem, rules, 0, all);
}

std::vector<int32_t> BuffersOf(const Packing& packing) {
  std::vector<int32_t> buffers;
  for (const PackingItem& item : packing.items) buffers.push_back(item.buffer);
  return buffers;
}

TEST(PackingTest, TimesThatNoBufferCrossesDivideAProblem) {
  // 0 to 2 overlap in a chain, 3 and 4 after them; 5 is never live.
  Problem problem =
      IntervalProblem({{0, 3, 8}, {2, 6, 4}, {5, 9, 2}, {10, 12, 8}, {11, 14, 8}, {0, 0, 6}});
  problem.buffers[5].lifetimes.clear();
  const auto packings = PackingsOf(problem);
  ASSERT_TRUE(packings);
  ASSERT_EQ(packings->size(), 3u);
  EXPECT_THAT(BuffersOf((*packings)[0]), ElementsAre(5));
  EXPECT_THAT(BuffersOf((*packings)[1]), ElementsAre(0, 1, 2));
  EXPECT_THAT(BuffersOf((*packings)[2]), ElementsAre(3, 4));
  const Packing& chain = (*packings)[1];
  EXPECT_THAT(chain.sections, ElementsAre(ElementsAre(0, 1), ElementsAre(1, 2)));
  EXPECT_THAT(chain.overlaps, ElementsAre(ElementsAre(1), ElementsAre(0, 2), ElementsAre(1)));
  EXPECT_THAT(chain.live, ElementsAre(12, 6));
  EXPECT_THAT((*packings)[0].overlaps, ElementsAre(IsEmpty()));
}

TEST(PackingTest, OnlyTheTopmostItemKeepsTheRestOfItsStride) {
  // Strides of 8, 12 and 4; the topmost of 5 bytes saves 3, and the one of 9 bytes as many.
  const auto packings = PackingsOf(IntervalProblem({{0, 3, 5}, {0, 3, 9}, {0, 3, 4}}, 4));
  ASSERT_TRUE(packings);
  EXPECT_THAT(packings->at(0).live, ElementsAre(24 - 3));
}

TEST(PackingTest, SizesWhoseSumMayOverflowAreRefused) {
  const int64_t quarter = kMaxBytes / 4;
  EXPECT_TRUE(PackingsOf(IntervalProblem({{0, 3, quarter / 2}, {0, 3, quarter / 4}})));
  EXPECT_FALSE(PackingsOf(IntervalProblem({{0, 3, quarter + 1}})));
  EXPECT_FALSE(PackingsOf(IntervalProblem({{0, 3, quarter / 2}, {0, 3, quarter / 2}, {5, 9, 8}})));
}

int64_t BoundOf(const Problem& problem) { return ComputeLowerBounds(problem).at(0).bytes; }

TEST(BoundTest, CountsTheBytesOfAWindowThatStayInUse) {
  Problem problem = IntervalProblem({{0, 9, 100}, {4, 5, 80}});
  EXPECT_EQ(BoundOf(problem), 180);
  problem.buffers[0].gaps = {{4, 6, 0, 40}};
  EXPECT_EQ(BoundOf(problem), 120);
  // A window may end with its life.
  problem.buffers[0].gaps = {{4, 10, 0, 40}};
  problem.buffers[1].lifetimes = {{4, 10}};
  EXPECT_EQ(BoundOf(problem), 120);
  const auto plan = PlanMemory(problem, "first_fit");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->pools[0].size, 120);
}

TEST(BoundTest, CountsBuffersThatConflictWithoutACommonTime) {
  Problem problem = IntervalProblem({{0, 1, 10}, {2, 3, 20}, {4, 5, 30}, {6, 7, 1}});
  EXPECT_EQ(BoundOf(problem), 30);
  for (const auto& [a, b] : std::vector<std::pair<int32_t, int32_t>>{{0, 1}, {2, 0}, {1, 2}}) {
    problem.relations.push_back({.kind = RelationKind::kDisjoint, .a = a, .b = b, .allowed = {}});
  }
  const LowerBound bound = ComputeLowerBounds(problem).at(0);
  EXPECT_EQ(bound.bytes, 60);
  EXPECT_THAT(bound.live, ::testing::UnorderedElementsAre(0, 1, 2));
}

TEST(BoundTest, BytesThatBuffersMayShareDoNotCountTwice) {
  // At time 5, buffers 1 to 3 are live; 3 may share with each, and 0 is dead by then.
  Problem problem = IntervalProblem({{0, 2, 10}, {4, 9, 20}, {4, 9, 30}, {4, 9, 25}});
  EXPECT_EQ(BoundOf(problem), 75);
  for (const int32_t other : {0, 1, 2}) {
    problem.relations.push_back(
        {.kind = RelationKind::kMayShare, .a = other, .b = 3, .allowed = {}});
  }
  const int64_t bound = BoundOf(problem);
  EXPECT_LE(bound, 50);
  EXPECT_GE(bound, 30);
  const auto plan = PlanMemory(problem, "optimal");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->pools[0].size, 50);
}

TEST(BoundTest, BuffersWithAnotherPoolDoNotCount) {
  Problem problem = IntervalProblem({{0, 9, 30}, {0, 9, 40}, {0, 9, 20}});
  problem.pools = {MakePool("a"), MakePool("b"), MakePool("c", 35)};
  problem.buffers[0].pools = {0, 1};
  problem.buffers[1].pools = {1, 2};
  problem.buffers[2].pools = {0};
  const std::vector<LowerBound> bounds = ComputeLowerBounds(problem);
  // Buffer 1 does not fit into pool c.
  EXPECT_EQ(bounds[0].bytes, 20);
  EXPECT_EQ(bounds[1].bytes, 40);
  EXPECT_EQ(bounds[2].bytes, 0);
}

}  // namespace
}  // namespace tenon::planner
