// Operations on the buffers of one pool as rectangles.

#include "planner/problem/boxes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/planner/problems.h"
#include "tests/unit/planner/random_problem.h"

namespace tenon::planner {
namespace {

using ::testing::ElementsAre;

std::vector<int32_t> AllBuffers(const Problem& problem) {
  std::vector<int32_t> all(problem.buffers.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The boxes of all buffers in pool 0.
Boxes BoxesOf(const Problem& problem) {
  const PairRules rules(problem);
  EXPECT_TRUE(Boxes::Suits(problem, rules, 0, AllBuffers(problem)));
  return Boxes(problem, rules, 0, AllBuffers(problem));
}

/// A random problem in one pool whose only rules are lifetimes.
Problem RandomBoxes(uint32_t seed) {
  RandomTraits traits;
  traits.buffers = 8;
  traits.holes = seed % 2 == 0;
  return RandomProblem(seed).Make(traits);
}

bool LiveTogether(const Buffer& a, const Buffer& b) {
  for (const Lifetime& x : a.lifetimes) {
    for (const Lifetime& y : b.lifetimes) {
      if (std::max(x.lower, y.lower) < std::min(x.upper, y.upper)) return true;
    }
  }
  return false;
}

TEST(BoxesTest, MeetingsCountPairsOfIntervalsFromBothSides) {
  EXPECT_EQ(BoxesOf(IntervalProblem({{0, 4, 8}, {5, 9, 8}})).Meetings(), 0);
  EXPECT_EQ(BoxesOf(IntervalProblem({{0, 5, 8}, {5, 9, 8}})).Meetings(), 2);
  EXPECT_EQ(BoxesOf(IntervalProblem({{0, 9, 8}, {0, 9, 8}, {0, 9, 8}})).Meetings(), 6);
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const Problem problem = RandomBoxes(seed);
    const Boxes boxes = BoxesOf(problem);
    int64_t meetings = 0;
    for (int32_t a = 0; a < 8; ++a) {
      for (int32_t b = 0; b < 8; ++b) {
        if (a == b) continue;
        for (const LifeSpan& x : boxes.Lives(a)) {
          for (const LifeSpan& y : boxes.Lives(b)) meetings += x.Meets(y) ? 1 : 0;
        }
        EXPECT_EQ(boxes.Meet(a, b),
                  LiveTogether(problem.buffers[Index(a)], problem.buffers[Index(b)]) &&
                      boxes.At(a).size > 0 && boxes.At(b).size > 0)
            << seed;
      }
    }
    EXPECT_EQ(boxes.Meetings(), meetings) << seed;
  }
}

TEST(BoxesTest, DroppedBoxesNeitherOverlapNorRise) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    const Problem problem = RandomBoxes(seed);
    const Boxes boxes = BoxesOf(problem);
    std::vector<int64_t> offsets = boxes.Drop(boxes.live());
    for (int round = 0; round < 3; ++round) {
      for (const int32_t a : boxes.live()) {
        EXPECT_EQ(boxes.OffsetFrom(offsets[Index(a)], boxes.At(a)), offsets[Index(a)]) << seed;
        for (const int32_t b : boxes.live()) {
          if (a == b || !boxes.Meet(a, b)) continue;
          EXPECT_TRUE(offsets[Index(a)] + boxes.At(a).size <= offsets[Index(b)] ||
                      offsets[Index(b)] + boxes.At(b).size <= offsets[Index(a)])
              << seed;
        }
      }
      const std::vector<int64_t> again = boxes.Drop(boxes.ByOffset(offsets));
      for (const int32_t i : boxes.live()) EXPECT_LE(again[Index(i)], offsets[Index(i)]) << seed;
      offsets = boxes.Drop(boxes.OrderAtCeiling(offsets));
    }
  }
}

TEST(BoxesTest, RisenBoxesHangFromTheCeilingInOrderOfTheirEnds) {
  // Box 0 below box 1; box 2 is live with both, and box 3 alone rises to the top.
  const Problem problem = IntervalProblem({{0, 4, 4}, {0, 4, 3}, {0, 9, 2}, {6, 9, 1}});
  const Boxes boxes = BoxesOf(problem);
  // Ends 4, 7, 9 and 1: from the ceiling hang 2, then 1, then 0, and 3 under 2.
  EXPECT_THAT(boxes.OrderAtCeiling({0, 4, 7, 0}), ElementsAre(0, 1, 3, 2));
  // Ends 9, 5, 2 and 3: 0, 1 and 2 in this order, and 3 next to them.
  EXPECT_THAT(boxes.OrderAtCeiling({5, 2, 0, 2}), ElementsAre(2, 1, 0, 3));
}

TEST(BoxesTest, RelationsAreOnlyOfFixedBoxes) {
  Problem problem = IntervalProblem({{0, 4, 4}, {0, 4, 3}, {5, 9, 2}});
  problem.relations = {{.kind = RelationKind::kMayShare, .a = 0, .b = 2, .allowed = {}}};
  const auto suits = [&] {
    return Boxes::Suits(problem, PairRules(problem), 0, AllBuffers(problem));
  };
  EXPECT_FALSE(suits());
  problem.buffers[0].fixed_offset = 0;
  EXPECT_FALSE(suits());
  problem.buffers[2].fixed_offset = 0;
  EXPECT_TRUE(suits());
  // Fixed boxes that overlap do not fit together.
  problem.buffers[1].fixed_offset = 3;
  EXPECT_FALSE(suits());
  problem.buffers[1].fixed_offset = 4;
  EXPECT_TRUE(suits());
}

}  // namespace
}  // namespace tenon::planner
