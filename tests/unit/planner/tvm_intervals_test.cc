// TVM's fixtures and interval tables, whose conflicts follow from lifetimes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/problem/bound.h"
#include "tests/unit/planner/problems.h"

namespace tenon::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kTvmNames[] = {"greedy_by_size", "greedy_by_conflicts", "hill_climb"};

struct TableCase {
  const std::vector<IntervalRow>& rows;
  int64_t by_size;
  int64_t by_conflicts;
  int64_t hill_climb;
  int64_t bound;
};

TEST(TvmIntervalsTest, Tables) {
  const TableCase cases[] = {
      {kAllocMax, 67600, 67600, 67600, 67600},       {kSimple, 220192, 220192, 216096, 216096},
      {kDeepSpeech, 149504, 214800, 102416, 100352}, {kFive, 176923, 176923, 176923, 176923},
      {kRandom16, 326949, 390297, 325889, 325889},
  };
  for (const TableCase& c : cases) {
    const Problem problem = IntervalProblem(c.rows);
    EXPECT_THAT(PoolSizes(PlanMemory(problem, "greedy_by_size")), ElementsAre(c.by_size));
    EXPECT_THAT(PoolSizes(PlanMemory(problem, "greedy_by_conflicts")), ElementsAre(c.by_conflicts));
    EXPECT_THAT(PoolSizes(PlanMemory(problem, "hill_climb")), ElementsAre(c.hill_climb));
    const auto plan = PlanMemory(problem, "first_fit");
    EXPECT_THAT(PoolSizes(plan), ElementsAre(c.bound));
    EXPECT_TRUE(plan->proven_optimal);
  }
}

TEST(TvmIntervalsTest, HillClimbSwapForSwap) {
  EXPECT_EQ(Offsets(PlanMemory(IntervalProblem(kRandom17, 16), "hill_climb")), kRandom17HillClimb);
}

TEST(TvmIntervalsTest, MobilenetConflicts) {
  const auto liveness = DeriveTvmConflicts(Mobilenet().buffers);
  ASSERT_TRUE(liveness.ok());
  EXPECT_EQ(liveness->memory_pressure, 1117718);
  EXPECT_THAT(liveness->conflicts[0], ElementsAre(2));
  EXPECT_THAT(liveness->conflicts[1], UnorderedElementsAre(2, 3, 4));
  EXPECT_THAT(liveness->conflicts[2], UnorderedElementsAre(0, 1, 3));
  EXPECT_THAT(liveness->conflicts[3], UnorderedElementsAre(1, 2));
  EXPECT_THAT(liveness->conflicts[4], ElementsAre(1));
}

TEST(TvmIntervalsTest, MobilenetInTwoPools) {
  const Problem problem = Mobilenet();
  for (std::string_view name : {"greedy_by_size", "greedy_by_conflicts"}) {
    const auto plan = PlanMemory(problem, name);
    EXPECT_THAT(PoolSizes(plan), ElementsAre(200704, 1418528)) << name;
    EXPECT_THAT(Offsets(plan), ElementsAre(1117472, 0, 802816, 0, 0)) << name;
    EXPECT_THAT(PoolNumbers(plan), ElementsAre(1, 1, 1, 0, 0)) << name;
  }
  const auto hill = PlanMemory(problem, "hill_climb");
  EXPECT_THAT(PoolSizes(hill), ElementsAre(200704, 1117462));
  EXPECT_THAT(Offsets(hill), ElementsAre(0, 0, 802816, 0, 0));
  EXPECT_THAT(PoolNumbers(hill), ElementsAre(1, 1, 1, 0, 0));
  EXPECT_EQ(hill->pools[1].lower_bound.bytes, 1117462);
  EXPECT_THAT(PoolSizes(PlanMemory(problem, "first_fit")), ElementsAre(200704, 1117462));
}

TEST(TvmIntervalsTest, MobilenetSweepOfTheFastPool) {
  const int64_t cases[][3] = {
      {0, 0, 1418528},          {255, 0, 1418528},         {256, 256, 1418528},
      {200703, 256, 1418528},   {200704, 200704, 1418528}, {301056, 301056, 1117462},
      {314646, 314646, 803072}, {400000, 314912, 802816},  {802816, 802816, 314912},
      {1418528, 1418528, 0},    {kUnlimited, 1418528, 0},
  };
  for (const auto& [limit, fast, slow] : cases) {
    Problem problem = Mobilenet();
    problem.pools[0].capacity = limit;
    EXPECT_THAT(PoolSizes(PlanMemory(problem, "greedy_by_size")), ElementsAre(fast, slow)) << limit;
  }
}

TEST(TvmIntervalsTest, MobilenetInOneUnboundedPool) {
  const Problem problem = MobilenetInOnePool(kUnlimited);
  EXPECT_THAT(PoolSizes(PlanMemory(problem, "greedy_by_size")), ElementsAre(1418528));
  EXPECT_THAT(PoolSizes(PlanMemory(problem, "greedy_by_conflicts")), ElementsAre(1418528));
  EXPECT_THAT(PoolSizes(PlanMemory(problem, "hill_climb")), ElementsAre(1117728));
  const auto plan = PlanMemory(problem, "first_fit");
  EXPECT_THAT(PoolSizes(plan), ElementsAre(1117718));
  EXPECT_TRUE(plan->proven_optimal);
  EXPECT_THAT(plan->pools[0].lower_bound.live, UnorderedElementsAre(1, 2, 3));
}

// TVM reports "increase the size_hints" for all limits below the size that the algorithm uses
// without a limit. Each of them fits.
TEST(TvmIntervalsTest, MobilenetInOneBoundedPool) {
  for (int64_t capacity : {1117718, 1117728, 1200000, 1418527, 1418528}) {
    const Problem problem = MobilenetInOnePool(capacity);
    for (std::string_view name : kTvmNames) {
      const auto plan = PlanMemory(problem, name);
      ASSERT_TRUE(plan.ok()) << name << ": " << plan.status();
      const bool as_tvm = name == "hill_climb" ? capacity >= 1418527 : capacity >= 1418528;
      EXPECT_EQ(plan->algorithm, as_tvm ? name : "first_fit") << capacity;
    }
  }
  EXPECT_THAT(PoolSizes(PlanMemory(MobilenetInOnePool(1418527), "hill_climb")),
              ElementsAre(1117728));
}

TEST(TvmIntervalsTest, WithoutFallingBackTheMissingBytesAreNamed) {
  const auto plan = PlanMemory(MobilenetInOnePool(1200000), "greedy_by_size", {.fall_back = false});
  EXPECT_FALSE(IsProvenInfeasible(plan.status()));
  EXPECT_THAT(std::string(plan.status().message()),
              HasSubstr("it fits with 1418528 bytes in pool `memory` (218528 more)"));
}

TEST(TvmIntervalsTest, MobilenetBelowItsBound) {
  for (std::string_view name : AlgorithmNames()) {
    const auto plan = PlanMemory(MobilenetInOnePool(1117717), name);
    EXPECT_TRUE(IsProvenInfeasible(plan.status())) << name;
    EXPECT_THAT(
        std::string(plan.status().message()),
        HasSubstr("has 1117717 bytes, but needs at least 1117718 (1 more) for the buffers that are "
                  "live at time 15: `sid_8` (802816 bytes), `PaddedInput_7` (314646 "
                  "bytes), `Conv2dOutput_7` (256 bytes)"))
        << name;
  }
}

TEST(TvmIntervalsTest, Resnet) {
  const Problem problem = Resnet();
  const auto liveness = DeriveTvmConflicts(problem.buffers);
  ASSERT_TRUE(liveness.ok());
  EXPECT_EQ(liveness->memory_pressure, 7200256);
  const auto by_size = PlanMemory(problem, "greedy_by_size");
  EXPECT_THAT(PoolSizes(by_size), ElementsAre(7920256));
  EXPECT_THAT(Offsets(by_size), ElementsAre(5760000, 0, 6480000, 6480000, 7200000, 0, 7200000,
                                            6480000, 7920000, 7200000, 7920000, 7200000));
  const auto by_conflicts = PlanMemory(problem, "greedy_by_conflicts");
  EXPECT_THAT(PoolSizes(by_conflicts), ElementsAre(7200256));
  EXPECT_THAT(Offsets(by_conflicts),
              ElementsAre(0, 720000, 1478912, 1478912, 2198912, 720000, 6480000, 6480000, 2918912,
                          2198912, 7200000, 7200000));
  const auto hill = PlanMemory(problem, "hill_climb");
  EXPECT_THAT(PoolSizes(hill), ElementsAre(7200256));
  EXPECT_THAT(Offsets(hill), ElementsAre(5760000, 0, 758912, 758912, 0, 0, 6480000, 6480000, 720000,
                                         1478912, 7200000, 5760000));
  EXPECT_TRUE(hill->proven_optimal);
}

// TVM assumes that S is dead when Tm is written, in an inner loop after S's. The lifetimes are
// correct.
TEST(TvmIntervalsTest, LoopCarriedBufferIsKeptApart) {
  Problem problem;
  problem.pools = {MakePool("pool")};
  problem.buffers = {LiveBuffer("S", 64, 0, 100, 16), LiveBuffer("Tm", 64, 50, 60, 16)};
  problem.conflicts = ConflictLists{{}, {}};
  for (std::string_view name : AlgorithmNames()) {
    EXPECT_THAT(PoolSizes(PlanMemory(problem, name)), ElementsAre(128)) << name;
  }
}

// Two temporaries of one outer loop, one after the other: TVM sees a conflict that does not exist.
TEST(TvmIntervalsTest, DisjointTemporariesOverlapOnlyForTvm) {
  Problem problem;
  problem.pools = {MakePool("pool")};
  problem.buffers = {LiveBuffer("a", 64, 0, 10, 16), LiveBuffer("b", 64, 11, 20, 16)};
  problem.conflicts = ConflictLists{{1}, {0}};
  for (std::string_view name : kTvmNames) {
    EXPECT_THAT(PoolSizes(PlanMemory(problem, name)), ElementsAre(128)) << name;
  }
  EXPECT_THAT(PoolSizes(PlanMemory(problem, "first_fit")), ElementsAre(64));
}

// A to B to C to D by three calls.
TEST(TvmIntervalsTest, MergedAllocations) {
  Problem problem;
  problem.pools = {MakePool("pool")};
  problem.buffers = {LiveBuffer("B", 256, 0, 1, 16), LiveBuffer("C", 256, 1, 2, 16)};
  const auto plan = PlanMemory(problem, "greedy_by_size");
  EXPECT_THAT(PoolSizes(plan), ElementsAre(512));
  EXPECT_THAT(Offsets(plan), ElementsAre(256, 0));
}

// Constants never share bytes. Sorted by size, they have TVM's places.
TEST(TvmIntervalsTest, ConstantPool) {
  Problem problem;
  problem.pools = {MakePool("constants")};
  problem.pools[0].kind = PoolKind::kReadOnly;
  problem.buffers = {LiveBuffer("sid_21", 10, 0, 5, 16), LiveBuffer("sid_22", 1, 10, 15, 16),
                     LiveBuffer("sid_23", 3456, 20, 25, 16)};
  for (Buffer& buffer : problem.buffers) buffer.kind = BufferKind::kConstant;
  const auto plan = PlanMemory(problem, "greedy_by_size");
  EXPECT_THAT(Offsets(plan), ElementsAre(3456, 3472, 0));
  EXPECT_THAT(PoolSizes(plan), ElementsAre(3473));
  EXPECT_TRUE(plan->proven_optimal);
}

}  // namespace
}  // namespace tenon::planner
