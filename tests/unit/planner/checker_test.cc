// Damages a right plan in every way the checker knows, and expects to be told which.

#include "planner/check/checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/planner/problems.h"

namespace tenon::planner {
namespace {

using ::testing::HasSubstr;

// Two pools; a and b conflict, c dies before b, d is fixed, e has a window free for f, g and h are
// of models that never run together, i trails j, k is an alias of a part of l, m is kept off n.
Problem RichProblem() {
  Problem problem;
  problem.pools = {MakePool("fast", 4096), MakePool("flash")};
  problem.pools[1].kind = PoolKind::kReadOnly;
  problem.pools[1].alignment = 64;
  const char* names = "abcdefghijklmn";
  for (int i = 0; names[i] != 0; ++i) {
    problem.buffers.push_back(LiveBuffer(std::string(1, names[i]), 64, 0, 9, 16));
  }
  std::vector<Buffer>& b = problem.buffers;
  b[2].lifetimes = {{0, 2}};
  b[1].lifetimes = {{2, 5}, {7, 10}};
  b[3].fixed_offset = 512;
  b[4].gaps = {{2, 6, 0, 16}};
  b[5] = LiveBuffer("f", 48, 2, 5, 16);
  b[6].groups = {0};
  b[7].groups = {1};
  Buffer constant = LiveBuffer("w0", 100, 0, 1);
  constant.kind = BufferKind::kConstant;
  constant.pools = {1};
  b.push_back(constant);
  constant.name = "w1";
  b.push_back(constant);
  b[12].lifetimes = {{0, 1}};
  b[13].lifetimes = {{4, 5}};
  problem.relations = {
      {.kind = RelationKind::kOffsetDifference, .a = 9, .b = 8, .allowed = {{0, 32}}},
      {.kind = RelationKind::kMayShare, .a = 10, .b = 11, .allowed = {}, .same_pool = true},
      {.kind = RelationKind::kDisjoint, .a = 12, .b = 13, .allowed = {}},
  };
  return problem;
}

class CheckerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    problem_ = RichProblem();
    const auto plan = PlanMemory(problem_, "first_fit");
    ASSERT_TRUE(plan.ok()) << plan.status();
    plan_ = *plan;
    ASSERT_TRUE(CheckPlan(problem_, plan_).ok());
  }

  // Recomputes what follows from the placements, so that one damage is one fault.
  void Settle() {
    for (PoolPlan& pool : plan_.pools) pool.size = 0;
    for (size_t i = 0; i < plan_.placements.size(); ++i) {
      const Placement& at = plan_.placements[i];
      if (at.pool < 0 || at.pool > 1) continue;
      int64_t& size = plan_.pools[Index(at.pool)].size;
      size = std::max(size, at.offset + problem_.buffers[i].size);
    }
    plan_.proven_optimal = plan_.pools[0].size == plan_.pools[0].lower_bound.bytes &&
                           plan_.pools[1].size == plan_.pools[1].lower_bound.bytes;
  }

  void Expect(PlanFault fault, std::string_view text) {
    const PlanVerdict verdict = CheckPlan(problem_, plan_);
    EXPECT_EQ(verdict.fault, fault) << verdict.message;
    EXPECT_THAT(verdict.message, HasSubstr(std::string(text)));
  }

  Placement& At(int32_t i) { return plan_.placements[Index(i)]; }
  LowerBound& Bound(int32_t pool) { return plan_.pools[Index(pool)].lower_bound; }

  Problem problem_;
  Plan plan_;
};

TEST_F(CheckerTest, InvalidProblem) {
  problem_.buffers[0].alignment = 3;
  Expect(PlanFault::kProblem, "`a` has the alignment 3");
}

TEST_F(CheckerTest, MissingPlacement) {
  plan_.placements.pop_back();
  Expect(PlanFault::kCounts, "15 placements for 16 buffers");
}

TEST_F(CheckerTest, MissingPool) {
  plan_.pools.pop_back();
  Expect(PlanFault::kCounts, "1 entries for 2 pools");
}

TEST_F(CheckerTest, NoSuchPool) {
  At(0).pool = 2;
  Expect(PlanFault::kPool, "`a` is in pool number 2, of 2");
  At(0).pool = -1;
  Expect(PlanFault::kPool, "`a` is in pool number -1");
}

TEST_F(CheckerTest, PoolIsNoCandidate) {
  At(0).pool = 1;
  Settle();
  Expect(PlanFault::kCandidate, "`a` is in pool `flash`, which is no candidate");
}

TEST_F(CheckerTest, NegativeOffset) {
  At(0).offset = -16;
  Expect(PlanFault::kOffset, "`a` has the offset -16");
}

TEST_F(CheckerTest, OwnAlignment) {
  At(0).offset = 2056;
  Settle();
  Expect(PlanFault::kAlignment, "`a` has the address 2056 in pool `fast`, no multiple of 16");
}

TEST_F(CheckerTest, PoolAlignment) {
  At(14).offset += 16;
  Settle();
  Expect(PlanFault::kAlignment, "no multiple of 64");
}

TEST_F(CheckerTest, BaseOffsetCounts) {
  problem_.pools[0].base_offset = 8;
  Expect(PlanFault::kAlignment, "has the address");
}

TEST_F(CheckerTest, BeyondTheCapacity) {
  At(0).offset = 4048;
  Settle();
  Expect(PlanFault::kCapacity, "`a` has 64 bytes at offset 4048, but pool `fast` ends at 4096");
}

TEST_F(CheckerTest, BeyondAllAddresses) {
  At(14).offset = kMaxBytes - 50;
  Expect(PlanFault::kCapacity, "`w0` has 100 bytes at offset");
}

TEST_F(CheckerTest, FixedOffset) {
  At(3).offset = 2048;
  Settle();
  Expect(PlanFault::kFixedOffset, "`d` has the offset 2048, expected 512");
}

TEST_F(CheckerTest, OverlapInTime) {
  At(0) = At(1);
  Settle();
  const PlanVerdict verdict = CheckPlan(problem_, plan_);
  EXPECT_EQ(verdict.fault, PlanFault::kOverlap);
  EXPECT_THAT(verdict.message, HasSubstr("buffers `a` at ["));
  EXPECT_EQ(verdict.buffer, 0);
}

TEST_F(CheckerTest, OverlapInTheSecondLifetime) {
  problem_.buffers[2].lifetimes = {{5, 8}};
  At(2) = At(1) = {0, 2048};
  Settle();
  Expect(PlanFault::kOverlap, "both use byte 2048 at time 7");
}

TEST_F(CheckerTest, BetweenLifetimesThereIsRoom) {
  problem_.buffers[2].lifetimes = {{5, 7}};
  At(2) = At(1) = {0, 2048};
  Bound(0) = {};
  Settle();
  EXPECT_TRUE(CheckPlan(problem_, plan_).ok()) << CheckPlan(problem_, plan_).message;
}

TEST_F(CheckerTest, WindowsLeaveTheRestFree) {
  At(4).offset = 1024;
  At(5).offset = 1040;
  Settle();
  EXPECT_TRUE(CheckPlan(problem_, plan_).ok()) << CheckPlan(problem_, plan_).message;
  At(5).offset = 1024;
  Settle();
  Expect(PlanFault::kOverlap, "`e` at [1024, 1088) of `fast` and `f` at [1024, 1072)");
}

TEST_F(CheckerTest, AWindowEndsWhenItEnds) {
  At(4).offset = 1024;
  At(5).offset = 1040;
  problem_.buffers[5].lifetimes = {{2, 7}};
  Bound(0) = {};
  Settle();
  Expect(PlanFault::kOverlap, "both use byte 1040 at time 6");
}

TEST_F(CheckerTest, GroupsThatNeverLiveTogetherShare) {
  At(6) = At(7) = {0, 2048};
  Settle();
  EXPECT_TRUE(CheckPlan(problem_, plan_).ok()) << CheckPlan(problem_, plan_).message;
  problem_.buffers[7].groups = {1, 0};
  Bound(0) = {};
  Settle();
  Expect(PlanFault::kOverlap, "`g`");
}

TEST_F(CheckerTest, ConstantsNeverShare) {
  problem_.buffers[14].lifetimes = {{0, 1}};
  problem_.buffers[15].lifetimes = {{5, 6}};
  At(15) = At(14);
  Settle();
  Expect(PlanFault::kOverlap, "`w0`");
}

TEST_F(CheckerTest, DisjointRelation) {
  At(12) = At(13) = {0, 2048};
  Settle();
  Expect(PlanFault::kDisjoint, "`n` at [2048, 2112) of `fast` must not overlap");
}

TEST_F(CheckerTest, OffsetDifference) {
  At(9).offset = 2048;
  At(8).offset = 2048 + 48;
  Settle();
  Expect(PlanFault::kDifference, "have the difference 48, which is not allowed");
  At(8).offset = 2048 - 16;
  Settle();
  Expect(PlanFault::kDifference, "have the difference -16");
  At(8).offset = 2048 + 32;
  Settle();
  EXPECT_TRUE(CheckPlan(problem_, plan_).ok()) << "they overlap, as they may";
}

TEST_F(CheckerTest, AliasInAnotherPool) {
  problem_.pools.push_back(MakePool("third"));
  problem_.buffers[10].pools = {0, 2};
  plan_.pools.push_back({.size = 64, .lower_bound = {}, .found_by = {}});
  Bound(0) = {};
  At(10) = {2, 0};
  Expect(PlanFault::kSamePool, "`k` at [0, 64) of `third` and `l`");
}

TEST_F(CheckerTest, PoolSize) {
  for (int64_t change : {-1, 1}) {
    plan_.pools[0].size += change;
    Expect(PlanFault::kPoolSize, "pool `fast` has the size");
    plan_.pools[0].size -= change;
  }
}

TEST_F(CheckerTest, WitnessWithoutOneOfItsBuffers) {
  Bound(0).live.pop_back();
  Expect(PlanFault::kWitness, "but its witness shows");
}

TEST_F(CheckerTest, WitnessWithABufferTwice) {
  Bound(0).live.push_back(Bound(0).live[0]);
  Expect(PlanFault::kWitness, "twice in its witness");
}

TEST_F(CheckerTest, WitnessOfAnotherPool) {
  Bound(0).live.push_back(14);
  Expect(PlanFault::kWitness, "has buffer `w0` in its witness, which may also be in `flash`");
}

TEST_F(CheckerTest, WitnessThatCouldBeElsewhere) {
  problem_.pools.push_back(MakePool("third"));
  plan_.pools.push_back({});
  problem_.buffers[Index(Bound(0).live[0])].pools = {0, 2};
  Expect(PlanFault::kWitness, "which may also be in `third`");
}

TEST_F(CheckerTest, WitnessOfNoBuffer) {
  Bound(0).live.push_back(99);
  Expect(PlanFault::kWitness, "has buffer number 99 in its witness");
}

TEST_F(CheckerTest, WitnessThatIsDead) {
  Bound(0).time = 100;
  Expect(PlanFault::kWitness, "which uses nothing at time 100");
}

TEST_F(CheckerTest, WitnessThatMayOverlap) {
  Bound(0).live = {10, 11};
  Bound(0).time = 3;
  Bound(0).bytes = 128;
  Expect(PlanFault::kWitness, "has the lower bound 128, but its witness shows 64");
}

TEST_F(CheckerTest, WitnessOfTwoModels) {
  Bound(0).live = {6, 7};
  Bound(0).time = 3;
  Bound(0).bytes = 128;
  Expect(PlanFault::kWitness, "no group in common");
}

TEST_F(CheckerTest, WitnessOfPairsThatDoNotMeet) {
  Bound(0).live = {1, 2};
  Bound(0).time.reset();
  Bound(0).bytes = 128;
  Expect(PlanFault::kWitness, "has `b` and `c` in its witness, which may overlap");
  Bound(0).live = {12, 13};
  plan_.proven_optimal = false;
  EXPECT_TRUE(CheckPlan(problem_, plan_).ok()) << CheckPlan(problem_, plan_).message;
}

TEST_F(CheckerTest, WitnessCountsWindowsAsTheyAre) {
  Bound(0) = {.bytes = 80, .time = 3, .live = {0, 4}};
  plan_.proven_optimal = false;
  EXPECT_TRUE(CheckPlan(problem_, plan_).ok()) << CheckPlan(problem_, plan_).message;
  Bound(0).bytes = 128;
  Expect(PlanFault::kWitness, "has the lower bound 128, but its witness shows 80");
}

TEST_F(CheckerTest, LowerBoundChanged) {
  for (int64_t change : {-1, 1}) {
    Bound(1).bytes += change;
    Expect(PlanFault::kWitness, "but its witness shows");
    Bound(1).bytes -= change;
  }
}

TEST_F(CheckerTest, ClaimOfOptimality) {
  plan_.proven_optimal = !plan_.proven_optimal;
  Expect(PlanFault::kOptimality, "but says otherwise");
}

// Every single placement moved by one step of its alignment anywhere within the pool: whatever is
// accepted must be what the naive reading accepts; overlaps are by far the most.
TEST_F(CheckerTest, EveryMoveOntoAnotherBufferIsSeen) {
  Bound(0) = {};
  for (int32_t other = 1; other < 14; ++other) {
    if (other == 3) continue;
    const Plan whole = plan_;
    At(0) = At(other);
    Settle();
    EXPECT_FALSE(CheckPlan(problem_, plan_).ok() && other != 2 && other != 12 && other != 13)
        << problem_.buffers[Index(other)].name;
    plan_ = whole;
  }
}

}  // namespace
}  // namespace tenon::planner
