#include "planner/check/witness_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "tests/unit/planner/problems.h"

namespace tenon::planner {
namespace {

using ::testing::HasSubstr;

/// Buffers for one pool, all placed there.
struct Evidence {
  Evidence() { problem.pools = {MakePool("p"), MakePool("q")}; }
  Buffer& Add(int64_t size, int64_t first, int64_t last, int64_t alignment = 1) {
    const std::string name(1, static_cast<char>('a' + problem.buffers.size()));
    placements.push_back({0, 0});
    bound.live.push_back(static_cast<int32_t>(problem.buffers.size()));
    return problem.buffers.emplace_back(LiveBuffer(name, size, first, last, alignment));
  }
  Relation& Relate(RelationKind kind, std::vector<DifferenceRange> allowed = {}) {
    return problem.relations.emplace_back(
        Relation{.kind = kind, .a = 0, .b = 1, .allowed = std::move(allowed)});
  }
  /// The error about the claim that the pool needs `bytes`; empty if the witness shows it.
  std::string Refuse(int64_t bytes) {
    bound.bytes = bytes;
    return RefuseWitness(problem, placements, 0, bound, &on_trust);
  }

  Problem problem;
  std::vector<Placement> placements;
  LowerBound bound;
  int32_t on_trust = 0;
};

TEST(WitnessCheckerTest, SumsWhatIsLiveAtItsTime) {
  Evidence evidence;
  evidence.Add(10, 0, 5);
  evidence.Add(20, 5, 9);
  evidence.bound.time = 5;
  EXPECT_EQ(evidence.Refuse(30), "");
  EXPECT_THAT(evidence.Refuse(29), HasSubstr("has the lower bound 29, but its witness shows 30"));
  evidence.bound.time = 4;
  EXPECT_THAT(evidence.Refuse(30), HasSubstr("`b` in its witness, which uses nothing at time 4"));
  evidence.bound.time = 6;
  EXPECT_THAT(evidence.Refuse(30), HasSubstr("`a` in its witness, which uses nothing at time 6"));
}

TEST(WitnessCheckerTest, NothingNeedsNoBytes) {
  Evidence evidence;
  evidence.problem.pools[0].base_offset = 5;
  EXPECT_EQ(evidence.Refuse(0), "");
  EXPECT_NE(evidence.Refuse(1), "");
}

TEST(WitnessCheckerTest, CountsWindowsAtTheirTimes) {
  for (const int64_t time : {2, 3, 5, 6}) {
    Evidence evidence;
    evidence.Add(64, 0, 9, 8).gaps = {{3, 6, 8, 20}};
    evidence.Add(20, 0, 9, 8);
    evidence.bound.time = time;
    // Alignment counts where all buffers are whole: the smaller rounding of 20 bytes to 24 is
    // above.
    EXPECT_EQ(evidence.Refuse(time == 3 || time == 5 ? 32 : 84), "") << time;
  }
}

TEST(WitnessCheckerTest, AlignmentCountsBelowTheTopmostBuffer) {
  Evidence evidence;
  evidence.Add(10, 0, 9, 16);
  evidence.Add(20, 0, 9, 32);
  evidence.Add(16, 0, 9, 16);
  // 16 + 32 + 16, minus the largest of the gaps 6, 12 and 0.
  EXPECT_EQ(evidence.Refuse(52), "");
  // The pool's alignment counts for each buffer: 32 + 32 + 32 - 22.
  evidence.problem.pools[0].alignment = 32;
  EXPECT_EQ(evidence.Refuse(74), "");
  // The first address that 32 divides is 12 bytes above the base.
  evidence.problem.pools[0].base_offset = 84;
  EXPECT_EQ(evidence.Refuse(86), "");
}

TEST(WitnessCheckerTest, PairsMeetWhole) {
  // Live together at the begin of the second one, or of the first one.
  for (const bool second : {false, true}) {
    Evidence evidence;
    evidence.Add(10, second ? 0 : 4, 9);
    evidence.Add(20, second ? 4 : 0, 9);
    EXPECT_EQ(evidence.Refuse(30), "");
  }
  Evidence apart;
  apart.Add(10, 0, 3);
  apart.Add(20, 4, 9);
  EXPECT_THAT(apart.Refuse(30), HasSubstr("`a` and `b` in its witness, which may overlap"));
  apart.Relate(RelationKind::kDisjoint);
  EXPECT_EQ(apart.Refuse(30), "");
  apart.problem.relations[0].a = 1;
  apart.problem.relations[0].b = 0;
  EXPECT_EQ(apart.Refuse(30), "");
  apart.problem.relations[0].kind = RelationKind::kMayShare;
  EXPECT_THAT(apart.Refuse(30), HasSubstr("which may overlap"));
}

TEST(WitnessCheckerTest, EveryRelationCounts) {
  Evidence evidence;
  for (int i = 0; i < 3; ++i) evidence.Add(10, 0, 9);
  evidence.Relate(RelationKind::kDisjoint).b = 2;
  evidence.Relate(RelationKind::kMayShare);
  EXPECT_THAT(evidence.Refuse(30), HasSubstr("`a` and `b` in its witness, which may overlap"));
  evidence.bound.time = 4;
  EXPECT_EQ(evidence.Refuse(20), "");
}

TEST(WitnessCheckerTest, PairsMeetOutsideTheirWindows) {
  // `a` is whole before its window and after it.
  for (const auto& [first, last, meets] : std::vector<std::tuple<int64_t, int64_t, bool>>{
           {0, 3, true}, {3, 5, false}, {2, 3, true}, {5, 6, true}, {6, 9, true}}) {
    Evidence evidence;
    evidence.Add(10, 0, 9).gaps = {{3, 6, 0, 4}};
    evidence.Add(20, first, last);
    EXPECT_EQ(evidence.Refuse(30).empty(), meets) << first;
  }
  // Both have a window, and neither is whole outside the other one's.
  Evidence windows;
  windows.Add(10, 0, 9).gaps = {{0, 5, 0, 4}};
  windows.Add(20, 0, 9).gaps = {{5, 10, 0, 4}};
  EXPECT_THAT(windows.Refuse(30), HasSubstr("which may overlap"));
}

TEST(WitnessCheckerTest, ConstantsMeetEverything) {
  for (const bool first : {false, true}) {
    Evidence evidence;
    evidence.Add(10, 0, 3).groups = {0};
    evidence.Add(20, 5, 9).groups = {1};
    EXPECT_THAT(evidence.Refuse(30), HasSubstr("which may overlap"));
    evidence.problem.buffers[first ? 0 : 1].kind = BufferKind::kConstant;
    EXPECT_EQ(evidence.Refuse(30), "");
    evidence.bound.time = first ? 5 : 3;
    EXPECT_EQ(evidence.Refuse(30), "");
    evidence.bound.time.reset();
    evidence.problem.buffers[first ? 1 : 0].kind = BufferKind::kConstant;
    EXPECT_EQ(evidence.Refuse(30), "");
  }
}

TEST(WitnessCheckerTest, PairsOfTwoModelsDoNotMeet) {
  Evidence evidence;
  evidence.Add(10, 0, 9).groups = {0, 2};
  evidence.Add(20, 0, 9).groups = {1};
  EXPECT_THAT(evidence.Refuse(30), HasSubstr("which may overlap"));
  evidence.bound.time = 4;
  EXPECT_THAT(evidence.Refuse(30), HasSubstr("no group in common"));
  for (const bool common : {false, true}) {
    evidence.problem.buffers[1].groups = {};
    if (common) evidence.problem.buffers[1].groups = {1, 2};
    evidence.bound.time.reset();
    EXPECT_EQ(evidence.Refuse(30), "");
    evidence.bound.time = 4;
    EXPECT_EQ(evidence.Refuse(30), "");
  }
  // Each two have a group in common, but not all three.
  evidence.problem.buffers[0].groups = {0, 1};
  evidence.problem.buffers[1].groups = {1, 2};
  evidence.Add(5, 0, 9).groups = {2, 0};
  EXPECT_THAT(evidence.Refuse(35), HasSubstr("no group in common"));
  evidence.problem.buffers[2].groups = {0, 1};
  EXPECT_EQ(evidence.Refuse(35), "");
}

TEST(WitnessCheckerTest, PairsThatMayShareNeedTheLargerOne) {
  Evidence evidence;
  evidence.Add(10, 0, 9);
  evidence.Add(20, 0, 9);
  evidence.Add(7, 0, 9);
  evidence.Relate(RelationKind::kMayShare);
  evidence.bound.time = 4;
  EXPECT_EQ(evidence.Refuse(27), "");
  evidence.problem.relations[0].b = 2;
  EXPECT_EQ(evidence.Refuse(30), "");
  // A relation with a buffer outside the witness does not count.
  evidence.bound.live = {0, 1};
  EXPECT_EQ(evidence.Refuse(30), "");
}

TEST(WitnessCheckerTest, PairsShareAtTheirBestDifference) {
  // The bytes that 10 and 20 bytes share at differences from -20 to 10.
  struct Case {
    DifferenceRange range;
    int64_t shared;
  };
  for (const auto& [range, shared] : std::vector<Case>{{{0, 0}, 10},
                                                       {{-10, -10}, 10},
                                                       {{-5, -5}, 10},
                                                       {{-11, -11}, 9},
                                                       {{-19, -19}, 1},
                                                       {{-20, -20}, 0},
                                                       {{-40, -15}, 5},
                                                       {{-40, 40}, 10},
                                                       {{3, 40}, 7},
                                                       {{9, 9}, 1},
                                                       {{10, 20}, 0},
                                                       {{-40, -30}, 0}}) {
    Evidence evidence;
    evidence.Add(10, 0, 9);
    evidence.Add(20, 0, 9);
    evidence.Relate(RelationKind::kOffsetDifference, {range});
    evidence.bound.time = 4;
    EXPECT_EQ(evidence.Refuse(30 - shared), "") << range.first << " " << range.last;
    evidence.problem.relations[0].allowed.insert(evidence.problem.relations[0].allowed.begin(),
                                                 {100, 100});
    EXPECT_EQ(evidence.Refuse(30 - shared), "") << range.first << " " << range.last;
  }
}

TEST(WitnessCheckerTest, OnlyAlignedDifferencesCount) {
  for (const auto& [range, shared] :
       std::vector<std::pair<DifferenceRange, int64_t>>{{{1, 7}, 0},
                                                        {{1, 8}, 8},
                                                        {{9, 40}, 0},
                                                        {{-7, -1}, 0},
                                                        {{-9, -1}, 16},
                                                        {{-23, -17}, 0},
                                                        {{-26, -17}, 8}}) {
    Evidence evidence;
    evidence.Add(16, 0, 9, 8);
    evidence.Add(32, 0, 9, 8);
    evidence.Relate(RelationKind::kOffsetDifference, {range});
    evidence.bound.time = 4;
    EXPECT_EQ(evidence.Refuse(48 - shared), "") << range.first << " " << range.last;
  }
}

TEST(WitnessCheckerTest, BuffersThatMayBeElsewhere) {
  Evidence evidence;
  evidence.Add(10, 0, 9);
  evidence.Add(20, 0, 9);
  evidence.bound.of_choice = true;
  EXPECT_THAT(evidence.Refuse(30), HasSubstr("no buffer in its witness has one"));
  evidence.problem.buffers[1].pools = {0, 1};
  EXPECT_EQ(evidence.Refuse(30), "");
  evidence.bound.of_choice = false;
  EXPECT_THAT(evidence.Refuse(30), HasSubstr("`b` in its witness, which may also be in `q`"));
  // Not in a pool that is too small.
  evidence.problem.pools[1].capacity = 20;
  EXPECT_THAT(evidence.Refuse(30), HasSubstr("which may also be in `q`"));
  evidence.problem.pools[1].capacity = 19;
  EXPECT_EQ(evidence.Refuse(30), "");
  evidence.problem.pools[1].capacity = 20;
  evidence.bound.of_choice = true;
  evidence.placements[1].pool = 1;
  EXPECT_THAT(evidence.Refuse(30), HasSubstr("`b` in its witness, which is in `q`"));
  evidence.problem.buffers[1].pools = {1};
  EXPECT_THAT(evidence.Refuse(30), HasSubstr("which is in `q`"));
  evidence.problem.pools[1].capacity = 19;
  EXPECT_THAT(evidence.Refuse(30), HasSubstr("`b` in its witness, which cannot be here"));
}

TEST(WitnessCheckerTest, MembersAreBuffersOnce) {
  Evidence evidence;
  evidence.Add(10, 0, 9);
  for (const int32_t other : {-1, 1}) {
    evidence.bound.live = {0, other};
    EXPECT_THAT(evidence.Refuse(10), HasSubstr("in its witness, of 1"));
  }
  evidence.bound.live = {0, 0};
  EXPECT_THAT(evidence.Refuse(20), HasSubstr("has buffer `a` twice"));
}

TEST(WitnessCheckerTest, RepeatsSearches) {
  Evidence evidence;
  evidence.Add(4, 0, 9);
  evidence.Add(4, 0, 9);
  evidence.bound.kind = BoundKind::kSearch;
  EXPECT_THAT(evidence.Refuse(8), HasSubstr("has a record of no search: 2 buffers, 0 steps, 8"));
  evidence.bound.searched = 1;
  EXPECT_EQ(evidence.Refuse(8), "");
  EXPECT_EQ(evidence.on_trust, 0);
  EXPECT_THAT(evidence.Refuse(9), HasSubstr("but the buffers of its witness fit into less"));
  EXPECT_THAT(evidence.Refuse(0), HasSubstr("has a record of no search"));
  EXPECT_EQ(evidence.Refuse(1), "");
  evidence.bound.time = 3;
  EXPECT_THAT(evidence.Refuse(8), HasSubstr("has a record of no search"));
  evidence.bound.time.reset();
  evidence.bound.kind = BoundKind::kLive;
  EXPECT_THAT(evidence.Refuse(8), HasSubstr("has a search in the record"));
  evidence.bound.kind = BoundKind::kSearch;
  evidence.bound.live = {};
  EXPECT_THAT(evidence.Refuse(8), HasSubstr("has a record of no search: 0 buffers"));
}

TEST(WitnessCheckerTest, TrustsSearchesOfManyBuffers) {
  Evidence evidence;
  for (int i = 0; i < 200; ++i) evidence.Add(4, 0, 9);
  evidence.bound.kind = BoundKind::kSearch;
  evidence.bound.searched = 1;
  EXPECT_EQ(evidence.Refuse(800), "");
  EXPECT_EQ(evidence.on_trust, 1);
}

}  // namespace
}  // namespace tenon::planner
