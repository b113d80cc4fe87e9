#include "planner/tvm/tvm_liveness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/tvm/rand_r.h"
#include "tests/unit/planner/problems.h"

#ifdef __GLIBC__
#include <cstdlib>
#endif

namespace tenon::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TvmLivenessTest, TouchingAtOneTickIsAConflict) {
  const std::vector<Buffer> buffers = {LiveBuffer("a", 10, 0, 5), LiveBuffer("b", 20, 5, 9),
                                       LiveBuffer("c", 40, 6, 6)};
  const auto liveness = DeriveTvmConflicts(buffers);
  ASSERT_TRUE(liveness.ok());
  EXPECT_THAT(liveness->conflicts, ElementsAre(ElementsAre(1), ElementsAre(0, 2), ElementsAre(1)));
  EXPECT_EQ(liveness->memory_pressure, 60);
}

TEST(TvmLivenessTest, EachConflictCounts) {
  const std::vector<Buffer> buffers = {LiveBuffer("outer", 10, 0, 100),
                                       LiveBuffer("inner", 4, 1, 2)};
  const std::vector<ClosedInterval> intervals = {{0, 0, 100}, {1, 1, 2}, {1, 11, 12}, {1, 21, 22}};
  const auto liveness = DeriveTvmConflicts(buffers, intervals);
  ASSERT_TRUE(liveness.ok());
  EXPECT_THAT(liveness->conflicts, ElementsAre(ElementsAre(1, 1, 1), ElementsAre(0, 0, 0)));
  EXPECT_EQ(liveness->memory_pressure, 14);
}

TEST(TvmLivenessTest, ABufferThatStartsWhileOpenListsItselfOnce) {
  const std::vector<Buffer> buffers = {LiveBuffer("a", 10, 0, 1)};
  const std::vector<ClosedInterval> intervals = {{0, 0, 10}, {0, 5, 6}};
  const auto liveness = DeriveTvmConflicts(buffers, intervals);
  ASSERT_TRUE(liveness.ok());
  EXPECT_THAT(liveness->conflicts, ElementsAre(ElementsAre(0)));
}

TEST(TvmLivenessTest, ConstantsOnlyConflictWithConstants) {
  std::vector<Buffer> buffers = {LiveBuffer("v", 10, 0, 9), LiveBuffer("w0", 1, 0, 1),
                                 LiveBuffer("w1", 2, 5, 6), LiveBuffer("w2", 4, 8, 8)};
  for (size_t i = 1; i < 4; ++i) buffers[i].kind = BufferKind::kConstant;
  const auto liveness = DeriveTvmConflicts(buffers);
  ASSERT_TRUE(liveness.ok());
  EXPECT_THAT(liveness->conflicts,
              ElementsAre(IsEmpty(), ElementsAre(2, 3), ElementsAre(1, 3), ElementsAre(1, 2)));
  EXPECT_EQ(liveness->memory_pressure, 14) << "constants count while they are in use";
}

TEST(TvmLivenessTest, RefusesIntervalsOfNoBuffer) {
  const std::vector<Buffer> buffers = {LiveBuffer("a", 10, 0, 1)};
  EXPECT_FALSE(DeriveTvmConflicts(buffers, std::vector<ClosedInterval>{{1, 0, 1}}).ok());
  EXPECT_FALSE(DeriveTvmConflicts(buffers, std::vector<ClosedInterval>{{-1, 0, 1}}).ok());
  EXPECT_FALSE(DeriveTvmConflicts(buffers, std::vector<ClosedInterval>{{0, 2, 1}}).ok());
}

TEST(TvmLivenessTest, RefusesListsBeyondAllMemory) {
  std::vector<Buffer> buffers(20000, LiveBuffer("same", 1, 0, 1));
  EXPECT_EQ(DeriveTvmConflicts(buffers).status().code(), absl::StatusCode::kUnimplemented);
}

TEST(TvmLivenessTest, RelationsOfLists) {
  const ConflictLists lists = {{1, 1, 0}, {0}, {0}};
  const auto both = RelationsFromConflicts(lists, OneSided::kIgnore);
  ASSERT_EQ(both.size(), 1u);
  EXPECT_EQ(both[0].a, 0);
  EXPECT_EQ(both[0].b, 1);
  const auto either = RelationsFromConflicts(lists, OneSided::kConflict);
  ASSERT_EQ(either.size(), 2u);
  EXPECT_EQ(either[1].a, 0);
  EXPECT_EQ(either[1].b, 2);
}

TEST(RandRTest, FirstNumbersFromSeedZero) {
  GlibcRandR random(0);
  EXPECT_EQ(random.Next(), 1012484);
  EXPECT_EQ(random.Next(), 1716955679);
  EXPECT_EQ(random.Next(), 1792309082);
}

#ifdef __GLIBC__
TEST(RandRTest, EqualsTheLibrary) {
  for (unsigned seed : {0u, 1u, 2026u, 0xffffffffu}) {
    GlibcRandR random(seed);
    for (int i = 0; i < 10000; ++i) ASSERT_EQ(random.Next(), rand_r(&seed)) << i;
  }
}
#endif

}  // namespace
}  // namespace tenon::planner
