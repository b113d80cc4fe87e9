#include "planner/check/cost_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner/problems.h"

namespace tenon::planner {
namespace {

using ::testing::HasSubstr;

/// A buffer of 100 bytes for two pools whose costs are known, and its plan in the first one.
struct Priced {
  Priced() {
    problem.pools = {MakePool("fast", 100), MakePool("slow")};
    // 3 cycles for each 4 bytes read, and one for each 8 bytes written, at 1 GHz.
    problem.pools[0].cost = {1'000'000'000, 4, 8, 2, 0};
    problem.pools[1].cost = {500'000'000, 1, 1, 0, 1};
    problem.buffers = {LiveBuffer("a", 100, 0, 1)};
    buffer().pools = {0, 1};
    plan.placements = {{0, 0}};
  }
  Buffer& buffer() { return problem.buffers[0]; }
  /// The error about a plan with that cost; empty if the cost is right.
  std::string Refuse(int64_t picoseconds, int64_t spilled, bool is_least) {
    plan.cost = {picoseconds, spilled, is_least};
    return RefuseCost(problem, plan, &on_trust);
  }

  Problem problem;
  Plan plan;
  int32_t on_trust = 0;
};

TEST(CostCheckerTest, CountsTransfersOfTheWidthOfTheBus) {
  Priced one;
  one.buffer().bytes_read = 9;
  one.buffer().bytes_written = 16;
  // Three reads of 3 cycles and two writes of one cycle.
  EXPECT_EQ(one.Refuse(11'000, 0, true), "");
  EXPECT_THAT(one.Refuse(12'000, 0, true),
              HasSubstr("has the cost 12000 ps and 0 bytes spilled, but its pools cost 11000 ps"));
  one.plan.placements[0].pool = 1;
  // 9 reads of one cycle and 16 writes of two, each of 2 ns.
  EXPECT_EQ(one.Refuse(82'000, 100, false), "");
}

TEST(CostCheckerTest, UnknownAccessesCountAsOneReadAndOneWrite) {
  Priced one;
  EXPECT_EQ(one.Refuse(25 * 3'000 + 13 * 1'000, 0, true), "");
  one.buffer().bytes_read = 4;
  EXPECT_EQ(one.Refuse(3'000, 0, true), "");
  one.buffer().bytes_read = 0;
  one.buffer().bytes_written = 8;
  EXPECT_EQ(one.Refuse(1'000, 0, true), "");
}

TEST(CostCheckerTest, ACostIsKnownWhereAllCandidatesHaveAllItsParts) {
  for (int64_t PoolCost::*part :
       {&PoolCost::clock_hz, &PoolCost::read_bytes_per_cycle, &PoolCost::write_bytes_per_cycle}) {
    for (const size_t pool : {size_t{0}, size_t{1}}) {
      Priced one;
      one.problem.pools[pool].cost.*part = 0;
      EXPECT_EQ(one.Refuse(0, 0, true), "");
    }
  }
}

TEST(CostCheckerTest, LatenciesMayBeZero) {
  Priced one;
  one.problem.pools[0].cost.read_latency_cycles = 0;
  EXPECT_EQ(one.Refuse(25'000 + 13'000, 0, true), "");
}

TEST(CostCheckerTest, SpilledBytesCountTheSteps) {
  Priced one;
  one.problem.pools.push_back(MakePool("slowest"));
  one.buffer().pools = {0, 1, 2};
  one.plan.placements[0].pool = 2;
  EXPECT_EQ(one.Refuse(0, 200, false), "");
  EXPECT_THAT(one.Refuse(0, 100, false), HasSubstr("but its pools cost 0 ps and 200 bytes"));
}

TEST(CostCheckerTest, CostsOfBuffersAddUp) {
  Priced one;
  one.problem.pools[0].capacity = kUnlimited;
  one.problem.buffers.push_back(one.buffer());
  one.plan.placements.push_back({0, 100});
  EXPECT_EQ(one.Refuse(2 * 88'000, 0, true), "");
  one.plan.placements[1] = {1, 0};
  EXPECT_EQ(one.Refuse(88'000 + 600'000, 100, false), "");
}

TEST(CostCheckerTest, TheLeastCostIsThatOfTheBestPools) {
  Priced one;
  EXPECT_EQ(one.Refuse(88'000, 0, true), "");
  EXPECT_EQ(one.on_trust, 0);
  EXPECT_THAT(one.Refuse(88'000, 0, false), HasSubstr("no pool is better for any buffer"));
  one.plan.placements[0].pool = 1;
  EXPECT_EQ(one.Refuse(600'000, 100, false), "");
  EXPECT_EQ(one.on_trust, 0);
  // The claim is about choices of pools, which the checker does not repeat.
  EXPECT_EQ(one.Refuse(600'000, 100, true), "");
  EXPECT_EQ(one.on_trust, 1);
}

TEST(CostCheckerTest, APoolThatIsTooSmallIsNotBetter) {
  Priced one;
  one.plan.placements[0].pool = 1;
  one.problem.pools[0].capacity = 99;
  EXPECT_EQ(one.Refuse(600'000, 100, true), "");
  EXPECT_EQ(one.on_trust, 0);
  EXPECT_THAT(one.Refuse(600'000, 100, false),
              HasSubstr("does not say that its cost is the least"));
}

TEST(CostCheckerTest, SumsSaturate) {
  Priced one;
  one.buffer().size = kMaxBytes;
  one.problem.pools[0].capacity = kUnlimited;
  EXPECT_EQ(one.Refuse(INT64_MAX, 0, true), "");
  one.problem.buffers.push_back(one.buffer());
  one.problem.buffers.push_back(one.buffer());
  one.plan.placements = {{1, 0}, {1, 0}, {1, 0}};
  EXPECT_EQ(one.Refuse(INT64_MAX, INT64_MAX, false), "");
}

}  // namespace
}  // namespace tenon::planner
