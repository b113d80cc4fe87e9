// Planning of very many buffers: compares the data structures with naive ones, and checks the
// plans.

#include "planner/exact/many_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "planner/heuristics/free_rectangles.h"
#include "planner/heuristics/hole_fit.h"
#include "planner/heuristics/skyline.h"
#include "planner/heuristics/track_fit.h"
#include "tests/unit/planner/problems.h"
#include "tests/unit/planner/random_problem.h"

namespace tenon::planner {
namespace {

std::vector<int32_t> AllMembers(const Problem& problem) {
  std::vector<int32_t> members;
  for (size_t i = 0; i < problem.buffers.size(); ++i) members.push_back(static_cast<int32_t>(i));
  return members;
}

// Lifetimes of up to `longest` ticks, over as many ticks as there are buffers.
Problem ManyBuffers(uint32_t seed, int64_t count, int64_t longest, int64_t largest) {
  RandomProblem random(seed);
  Problem problem;
  problem.pools = {MakePool("pool")};
  problem.pools[0].base_offset = random.Draw(0, 3);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t lower = random.Draw(0, count);
    problem.buffers.push_back(LiveBuffer("b", random.Draw(0, largest), lower,
                                         lower + random.Draw(0, longest) - 1,
                                         int64_t{1} << random.Draw(0, 3)));
  }
  return problem;
}

TEST(SkylineTest, EqualsAPlainArray) {
  RandomProblem random(1);
  for (const size_t count : {1U, 2U, 7U, 64U, 100U}) {
    Skyline skyline(count);
    std::vector<int64_t> plain(count);
    for (int round = 0; round < 2000; ++round) {
      const auto first = static_cast<size_t>(random.Draw(0, static_cast<int64_t>(count) - 1));
      const auto end = static_cast<size_t>(
          random.Draw(static_cast<int64_t>(first) + 1, static_cast<int64_t>(count)));
      const auto begin = plain.begin() + static_cast<ptrdiff_t>(first);
      const auto last = plain.begin() + static_cast<ptrdiff_t>(end);
      const int64_t highest = *std::max_element(begin, last);
      ASSERT_EQ(skyline.Highest(first, end), highest);
      if (round % 3 != 0) continue;
      skyline.Raise(first, end, highest + random.Draw(0, 5));
      std::fill(begin, last, skyline.Highest(first, end));
    }
    skyline.Clear();
    EXPECT_EQ(skyline.Highest(0, count), 0);
  }
}

TEST(FreeRectanglesTest, TakesWhatCovers) {
  RandomProblem random(2);
  FreeRectangles free;
  std::vector<FreeRectangle> plain;
  int taken = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto first = static_cast<int32_t>(random.Draw(0, 50));
    const auto end = first + static_cast<int32_t>(random.Draw(1, 20));
    const int64_t height = random.Draw(1, 12);
    if (random.Draw(0, 1) == 0) {
      plain.push_back({first, end, round, height});
      free.Add(plain.back());
      continue;
    }
    const auto covers = [&](const FreeRectangle& one) {
      return one.first <= first && end <= one.end && one.height >= height;
    };
    const auto found = free.Take(first, end, height);
    ASSERT_EQ(found.has_value(), std::any_of(plain.begin(), plain.end(), covers)) << round;
    if (!found) continue;
    ++taken;
    ASSERT_TRUE(covers(*found));
    const auto same = std::find_if(plain.begin(), plain.end(), [&](const FreeRectangle& one) {
      return one.offset == found->offset;
    });
    ASSERT_NE(same, plain.end());
    plain.erase(same);
  }
  EXPECT_GT(taken, 1000);
}

// Checks the offsets of a heuristic as a plan without proof.
testing::AssertionResult Accepted(const Problem& problem, const std::vector<int64_t>& offsets) {
  Plan plan;
  plan.pools.resize(1);
  for (size_t i = 0; i < offsets.size(); ++i) {
    plan.placements.push_back({0, offsets[i]});
    plan.pools[0].size = std::max(plan.pools[0].size, offsets[i] + problem.buffers[i].size);
  }
  plan.cost.is_least = true;
  plan.proven_optimal = plan.pools[0].size == 0;
  const PlanVerdict verdict = CheckPlan(problem, plan);
  if (verdict.ok()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << verdict.message;
}

TEST(BoxesTest, HeuristicsMakePlans) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const Problem problem = ManyBuffers(seed, 5 + seed, 1 + seed % 70, 1 + seed % 40);
    const std::vector<int32_t> members = AllMembers(problem);
    const PairRules rules(problem);
    ASSERT_TRUE(Boxes::Suits(problem, rules, 0, members));
    const Boxes boxes(problem, rules, 0, members);
    const std::vector<int64_t> tracks = TrackFit(boxes);
    ASSERT_TRUE(Accepted(problem, tracks)) << seed;
    const std::vector<int64_t> fallen = boxes.Drop(boxes.ByOffset(tracks));
    ASSERT_TRUE(Accepted(problem, fallen)) << seed;
    ASSERT_TRUE(Accepted(problem, boxes.Drop(boxes.OrderAtCeiling(fallen)))) << seed;
    for (const int32_t i : boxes.live()) ASSERT_LE(fallen[Index(i)], tracks[Index(i)]) << seed;
    const auto order = boxes.Sorted([](const Box& a, const Box& b) { return a.size > b.size; });
    const std::vector<int64_t> holes = HoleFit(boxes, order);
    ASSERT_TRUE(Accepted(problem, holes)) << seed;
    // Fixed buffers stay, and the others find room.
    std::vector<int64_t> fixed = holes;
    for (size_t i = 0; i < fixed.size(); i += 2) fixed[i] = -1;
    ASSERT_TRUE(Accepted(problem, HoleFit(boxes, order, fixed))) << seed;
  }
}

TEST(BoxesTest, FixedOnesStayWhereTheyAre) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Problem problem = ManyBuffers(seed, 5 + seed, 1 + seed % 70, 1 + seed % 40);
    // The offsets of a plan are compatible.
    const auto plan = PlanMemory(problem, "first_fit", {.work_limit = 1000});
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (size_t i = seed % 3; i < problem.buffers.size(); i += 4) {
      problem.buffers[i].fixed_offset = plan->placements[i].offset;
    }
    const std::vector<int32_t> members = AllMembers(problem);
    const PairRules rules(problem);
    ASSERT_TRUE(Boxes::Suits(problem, rules, 0, members)) << seed;
    const Boxes boxes(problem, rules, 0, members);
    const auto order = boxes.Sorted([](const Box& a, const Box& b) { return a.size > b.size; });
    ASSERT_TRUE(Accepted(problem, boxes.Drop(order))) << seed;
    ASSERT_TRUE(Accepted(problem, boxes.Drop(boxes.ByOffset(TrackFit(boxes))))) << seed;
    ASSERT_TRUE(Accepted(problem, HoleFit(boxes, order))) << seed;
  }
}

TEST(BoxesTest, CountsMeetings) {
  const Problem problem = ManyBuffers(3, 200, 30, 9);
  const PairRules rules(problem);
  int64_t meetings = 0;
  for (int32_t a = 0; a < 200; ++a) {
    for (int32_t b = 0; b < 200; ++b) meetings += a != b && rules.Conflict(a, b) ? 1 : 0;
  }
  EXPECT_EQ(Boxes(problem, rules, 0, AllMembers(problem)).Meetings(), meetings);
}

TEST(ManyFitTest, IsCloseToTheBound) {
  for (const int64_t longest : {10, 100, 20'000}) {
    const Problem problem = ManyBuffers(4, 5000, longest, 4096);
    const auto plan = PlanMemory(problem, "optimal", {.node_limit = 30'000});
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_LE(plan->pools[0].size, plan->pools[0].lower_bound.bytes * 108 / 100) << longest;
  }
}

TEST(ManyFitTest, TellsOfProgress) {
  const Problem problem = ManyBuffers(7, 5000, 20'000, 4096);
  std::vector<std::pair<int64_t, int64_t>> told;
  PlanOptions options;
  options.work_limit = 1'000'000;
  options.node_limit = 30'000;
  options.progress = [&](int64_t size, int64_t bound) { told.emplace_back(size, bound); };
  const auto plan = PlanMemory(problem, "optimal", options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back(), std::pair(plan->pools[0].size, plan->pools[0].lower_bound.bytes));
  EXPECT_TRUE(std::is_sorted(told.rbegin(), told.rend()));
}

TEST(ManyFitTest, TwoPools) {
  Problem problem = ManyBuffers(8, 5000, 50, 4096);
  problem.pools = {MakePool("near", 20'000), MakePool("far")};
  for (Buffer& buffer : problem.buffers) buffer.pools = {0, 1};
  const auto plan = PlanMemory(problem, "optimal", {.node_limit = 100'000});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_GT(plan->pools[0].size, 15'000);
  const PoolPlan& far = plan->pools[1];
  EXPECT_TRUE(far.lower_bound.of_choice);
  EXPECT_LE(far.size, far.lower_bound.bytes * 11 / 10);
}

TEST(ManyFitTest, ModelsInTurnTakeNoMoreThanTheLargest) {
  Problem problem = ManyBuffers(13, 9000, 1000, 4096);
  Problem largest = problem;
  largest.buffers.resize(4500);
  for (size_t i = 0; i < problem.buffers.size(); ++i)
    problem.buffers[i].groups = {i < 4500 ? 0 : 1};
  // A buffer of two groups.
  problem.buffers[17].groups = {0, 1};
  problem.buffers[4711].groups = {};
  const auto plan = PlanMemory(problem, "optimal", {.node_limit = 30'000});
  const auto alone = PlanMemory(largest, "optimal", {.node_limit = 30'000});
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_LE(plan->pools[0].size, alone->pools[0].size * 11 / 10);
}

TEST(ManyFitTest, EachBufferInItsOwnGroup) {
  Problem problem;
  problem.pools = {MakePool("pool")};
  for (int32_t i = 0; i < 4200; ++i) {
    problem.buffers.push_back(LiveBuffer("b", 1 + i % 5, i % 7, 9));
    problem.buffers.back().groups = {i};
  }
  const auto plan = PlanMemory(problem, "optimal");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->pools[0].size, 5);
}

TEST(ManyFitTest, WhatLivesTwiceLeavesRoomBetween) {
  Problem problem = ManyBuffers(14, 4200, 20, 4096);
  for (size_t i = 0; i < problem.buffers.size(); i += 20) {
    if (problem.buffers[i].lifetimes.empty()) continue;
    const int64_t last = problem.buffers[i].lifetimes[0].upper;
    problem.buffers[i].lifetimes.push_back({last + 3000, last + 3010});
  }
  const auto plan = PlanMemory(problem, "optimal", {.node_limit = 10'000});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_LE(plan->pools[0].size, plan->pools[0].lower_bound.bytes * 12 / 10)
      << "side by side it is three times that";
}

TEST(ManyFitTest, FixedOnesInTheWayOfTheCore) {
  for (const int64_t longest : {10, 300}) {
    Problem problem = ManyBuffers(12, 5000, longest, 4096);
    const auto first = PlanMemory(problem, "first_fit", {.work_limit = 1000});
    ASSERT_TRUE(first.ok()) << first.status();
    for (size_t i = 3; i < problem.buffers.size(); i += 10) {
      problem.buffers[i].fixed_offset = first->placements[i].offset;
    }
    const auto plan = PlanMemory(problem, "optimal", {.node_limit = 30'000});
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_LE(plan->pools[0].size, first->pools[0].size * 11 / 10);
  }
}

TEST(ManyFitTest, SomeRelationsCostLittle) {
  const Problem without = ManyBuffers(10, 5000, 1000, 4096);
  Problem problem = without;
  RandomProblem random(11);
  for (int32_t i = 0; i < 300; i += 3) {
    Relation& trails = problem.relations.emplace_back();
    trails.kind = RelationKind::kOffsetDifference;
    trails.a = i;
    trails.b = i + 1;
    trails.allowed = {{-kMaxBytes, -8192}, {-64, 64}, {8192, kMaxBytes}};
    Relation& share = problem.relations.emplace_back();
    share.kind = RelationKind::kMayShare;
    share.a = i + 1;
    share.b = static_cast<int32_t>(random.Draw(300, 4999));
  }
  const auto least = PlanMemory(without, "optimal", {.node_limit = 30'000});
  const auto plan = PlanMemory(problem, "optimal", {.node_limit = 30'000});
  ASSERT_TRUE(least.ok()) << least.status();
  ASSERT_TRUE(plan.ok()) << plan.status();
  // PlanMemory has checked the plan. Its size shows that the heuristics for very many buffers were
  // used.
  EXPECT_LE(plan->pools[0].size, least->pools[0].size * 103 / 100);
}

TEST(ManyFitTest, ALimitEndsEvenAFirstPlacement) {
  // So many relations disable the heuristics for very many buffers, and thousands are live
  // together.
  Problem problem = ManyBuffers(9, 20'000, 20'000, 4096);
  for (int32_t i = 0; i < 1001; ++i) {
    Relation& relation = problem.relations.emplace_back();
    relation.a = i;
    relation.b = i + 1;
  }
  PlanOptions options;
  options.explain = false;
  options.stop = [] { return true; };
  const auto plan = PlanMemory(problem, "optimal", options);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(plan.status().message().find("stopped"), std::string::npos);
}

TEST(ManyFitTest, KeepsToACapacity) {
  Problem problem = ManyBuffers(5, 4200, 100, 1 << 20);
  const auto least = PlanMemory(problem, "optimal", {.node_limit = 30'000});
  ASSERT_TRUE(least.ok()) << least.status();
  problem.pools[0].capacity = least->pools[0].size;
  EXPECT_TRUE(PlanMemory(problem, "optimal", {.node_limit = 30'000}).ok());
  problem.pools[0].capacity = least->pools[0].lower_bound.bytes - 1;
  EXPECT_TRUE(IsProvenInfeasible(PlanMemory(problem, "optimal", {.explain = false}).status()));
}

TEST(ManyFitTest, SuitsNoRulesBeyondLives) {
  Problem problem = ManyBuffers(6, 10, 5, 9);
  const auto suits = [&] {
    return Boxes::Suits(problem, PairRules(problem), 0, AllMembers(problem));
  };
  EXPECT_TRUE(suits());
  problem.buffers[3].fixed_offset = 64 - problem.pools[0].base_offset % 8;
  EXPECT_TRUE(suits());
  problem.buffers[3].alignment = 2;
  ++*problem.buffers[3].fixed_offset;
  EXPECT_FALSE(suits()) << "an address that is not aligned";
  problem.buffers[3].fixed_offset.reset();
  problem.buffers[1] = problem.buffers[2] = LiveBuffer("fixed", 9, 3, 4);
  problem.buffers[1].fixed_offset = 1;
  problem.buffers[2].fixed_offset = 9;
  EXPECT_FALSE(suits()) << "two that overlap";
  problem.buffers[2].fixed_offset = 10;
  EXPECT_TRUE(suits());
  Relation& relation = problem.relations.emplace_back();
  relation.a = 1;
  relation.b = 2;
  EXPECT_TRUE(suits());
  relation.b = 3;
  EXPECT_FALSE(suits()) << "a relation of one that is not fixed";
  problem.relations.clear();
  problem.buffers[4].size = problem.buffers[5].size = kMaxBytes / 3;
  EXPECT_FALSE(suits());
}

}  // namespace
}  // namespace tenon::planner
