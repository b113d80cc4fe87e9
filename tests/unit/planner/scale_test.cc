// Planning many buffers is fast.

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/planner/problems.h"

namespace tenon::planner {
namespace {

// No lists of all pairs and no cubic search: 10,000 buffers, with short and long lifetimes.
TEST(ScaleTest, TenThousandBuffers) {
  uint64_t state = 42;
  auto draw = [&](uint64_t count) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((state >> 33) % count);
  };
  std::vector<IntervalRow> rows;
  for (int i = 0; i < 10000; ++i) {
    const int64_t first = draw(100000);
    const int64_t length = draw(20) == 0 ? draw(20000) : draw(100);
    rows.push_back({first, first + length, 1 + draw(65536)});
  }
  const auto plan = PlanMemory(IntervalProblem(rows, 16), "first_fit", {.work_limit = 0});
  ASSERT_TRUE(plan.ok());
  const PoolPlan& pool = plan->pools[0];
  EXPECT_LE(static_cast<double>(pool.size), 1.2 * static_cast<double>(pool.lower_bound.bytes));
}

TEST(ScaleTest, ManyIdenticalBuffers) {
  const std::vector<IntervalRow> rows(3000, {0, 9, 64});
  const auto plan = PlanMemory(IntervalProblem(rows), "first_fit");
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->pools[0].size, 3000 * 64);
  EXPECT_TRUE(plan->proven_optimal);
}

}  // namespace
}  // namespace tenon::planner
