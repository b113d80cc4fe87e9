#include "planner/check/overlap_checker.h"

#include <gtest/gtest.h>

#include <tuple>

#include "tests/unit/planner/problems.h"

namespace tenon::planner {
namespace {

/// Buffers in one pool.
struct Layout {
  Layout() { problem.pools = {MakePool("p"), MakePool("q")}; }
  Buffer& Add(int64_t size, int64_t first, int64_t last, int64_t offset) {
    placements.push_back({0, offset});
    return problem.buffers.emplace_back(LiveBuffer("b", size, first, last));
  }
  std::optional<OverlapFound> Find() const { return FindOverlap(problem, placements); }
  bool Overlaps() const { return Find().has_value(); }

  Problem problem;
  std::vector<Placement> placements;
};

TEST(OverlapCheckerTest, TellsTheFirstByteAndTime) {
  Layout layout;
  layout.Add(16, 0, 9, 100);
  layout.Add(16, 4, 6, 110);
  const auto found = layout.Find();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->first, 0);
  EXPECT_EQ(found->second, 1);
  EXPECT_EQ(found->byte, 110);
  EXPECT_EQ(found->time, 4);
}

TEST(OverlapCheckerTest, NeighboursInPlaceAndInTimeDoNotOverlap) {
  for (const int64_t offset : {84, 116}) {
    Layout layout;
    layout.Add(16, 0, 9, 100);
    layout.Add(16, 4, 6, offset);
    EXPECT_FALSE(layout.Overlaps());
    layout.placements[1].offset += offset < 100 ? 1 : -1;
    EXPECT_TRUE(layout.Overlaps());
  }
  for (const int64_t begin : {9, 10}) {
    Layout layout;
    layout.Add(16, 0, 9, 100);
    layout.Add(16, begin, 12, 100);
    EXPECT_EQ(layout.Overlaps(), begin == 9);
  }
}

TEST(OverlapCheckerTest, OtherPoolsAreApart) {
  Layout layout;
  layout.Add(16, 0, 9, 0);
  layout.Add(16, 0, 9, 0);
  layout.placements[1].pool = 1;
  EXPECT_FALSE(layout.Overlaps());
}

TEST(OverlapCheckerTest, SeesOverlapsBelowAboveAndInsideManyBuffers) {
  // Ten buffers side by side; then one at each place of 8 bytes.
  for (int64_t offset = 0; offset < 96; offset += 8) {
    Layout layout;
    for (int64_t i = 0; i < 10; ++i) layout.Add(8, i % 3, 20, i * 8);
    layout.Add(8, 10, 20, offset);
    EXPECT_EQ(layout.Overlaps(), offset < 80) << offset;
    layout.problem.buffers.back().size = 1;
    layout.placements.back().offset += 7;
    EXPECT_EQ(layout.Overlaps(), offset < 80) << offset;
  }
}

TEST(OverlapCheckerTest, AConstantIsLiveForAllGroupsAtAllTimes) {
  for (const bool first : {false, true}) {
    Layout layout;
    layout.Add(16, 0, 1, 0).groups = {0};
    layout.Add(16, 5, 6, 0).groups = {1};
    EXPECT_FALSE(layout.Overlaps());
    layout.problem.buffers[first ? 0 : 1].kind = BufferKind::kConstant;
    EXPECT_TRUE(layout.Overlaps());
  }
}

TEST(OverlapCheckerTest, BuffersWithoutGroupsMeetEveryGroup) {
  for (const bool first : {false, true}) {
    Layout layout;
    layout.Add(16, 0, 9, 0).groups = {0};
    layout.Add(16, 0, 9, 0).groups = {1};
    EXPECT_FALSE(layout.Overlaps());
    layout.problem.buffers[first ? 0 : 1].groups = {};
    EXPECT_TRUE(layout.Overlaps());
    layout.problem.buffers[first ? 0 : 1].groups = {0, 1};
    EXPECT_TRUE(layout.Overlaps());
  }
}

TEST(OverlapCheckerTest, ManyGroupsAreComparedByPairs) {
  for (const int32_t count : {64, 65, 100}) {
    Layout layout;
    for (int32_t i = 0; i < count; ++i) layout.Add(16, 0, 9, 0).groups = {i};
    EXPECT_FALSE(layout.Overlaps()) << count;
    layout.Add(16, 0, 9, 8).groups = {count - 1};
    ASSERT_TRUE(layout.Overlaps()) << count;
    EXPECT_EQ(layout.Find()->first, count - 1);
    EXPECT_EQ(layout.Find()->second, count);
    layout.problem.buffers.back().groups = {};
    EXPECT_TRUE(layout.Overlaps()) << count;
  }
}

TEST(OverlapCheckerTest, RelatedPairsAreSkippedAndTheirOthersAreNot) {
  for (const bool reversed : {false, true}) {
    Layout layout;
    layout.Add(16, 0, 9, 0);
    layout.Add(16, 2, 9, 0);
    layout.problem.relations = {{.kind = RelationKind::kMayShare,
                                 .a = reversed ? 1 : 0,
                                 .b = reversed ? 0 : 1,
                                 .allowed = {}}};
    EXPECT_FALSE(layout.Overlaps());
    // A third buffer on both, before, between and after them.
    for (const int64_t begin : {0, 1, 5}) {
      Layout third = layout;
      third.Add(16, begin, 9, 8);
      EXPECT_TRUE(third.Overlaps());
      third.placements.back().offset = 16;
      EXPECT_FALSE(third.Overlaps());
    }
    Layout later = layout;
    later.Add(16, 10, 12, 8);
    EXPECT_FALSE(later.Overlaps());
  }
}

TEST(OverlapCheckerTest, WindowsHaveBytesOfTheirOwn) {
  const auto with_window = [](int64_t lower, int64_t upper) {
    Layout layout;
    layout.Add(64, 0, 9, 0).gaps = {{3, 6, 16, 32}};
    Buffer& other = layout.Add(16, 0, 0, 0);
    other.lifetimes = {{lower, upper}};
    return layout;
  };
  // In the window, the bytes from 16 to 32 are taken, and no others.
  for (int64_t offset = 0; offset < 64; offset += 8) {
    Layout layout = with_window(3, 6);
    layout.placements[1].offset = offset;
    EXPECT_EQ(layout.Overlaps(), offset == 8 || offset == 16 || offset == 24) << offset;
  }
  // A tick before it or after it, all are.
  for (const auto& [lower, upper] : {std::pair{2, 6}, std::pair{3, 7}}) {
    for (const int64_t offset : {0, 16, 48}) {
      Layout layout = with_window(lower, upper);
      layout.placements[1].offset = offset;
      EXPECT_TRUE(layout.Overlaps());
    }
  }
}

TEST(OverlapCheckerTest, EmptyWindowsAndBuffersTakeNothing) {
  Layout empty_window;
  empty_window.Add(64, 0, 9, 0).gaps = {{3, 3, 16, 32}};
  empty_window.Add(16, 3, 3, 0);
  EXPECT_TRUE(empty_window.Overlaps());
  Layout empty_bytes;
  empty_bytes.Add(64, 0, 9, 0).gaps = {{3, 6, 16, 16}};
  empty_bytes.Add(64, 3, 5, 0);
  EXPECT_FALSE(empty_bytes.Overlaps());
  Layout empty_buffer;
  empty_buffer.Add(64, 0, 9, 0);
  empty_buffer.Add(0, 0, 9, 32);
  EXPECT_FALSE(empty_buffer.Overlaps());
  Layout empty_life;
  empty_life.Add(64, 0, 9, 0);
  empty_life.Add(64, 4, 3, 0);
  EXPECT_FALSE(empty_life.Overlaps());
}

TEST(OverlapCheckerTest, WindowsBelongToTheirLifetimes) {
  Layout layout;
  Buffer& two = layout.Add(64, 0, 9, 0);
  two.lifetimes = {{0, 10}, {20, 30}};
  two.gaps = {{2, 4, 0, 8}, {10, 10, 0, 8}, {22, 24, 0, 8}};
  for (const auto& [first, last, overlaps] :
       std::vector<std::tuple<int64_t, int64_t, bool>>{{2, 3, false},
                                                       {1, 1, true},
                                                       {4, 4, true},
                                                       {9, 9, true},
                                                       {10, 19, false},
                                                       {20, 20, true},
                                                       {22, 23, false},
                                                       {24, 24, true},
                                                       {29, 29, true},
                                                       {30, 40, false}}) {
    Layout other = layout;
    other.Add(16, first, last, 32);
    EXPECT_EQ(other.Overlaps(), overlaps) << first;
  }
}

}  // namespace
}  // namespace tenon::planner
