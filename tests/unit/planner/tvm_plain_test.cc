// TVM's algorithms place every buffer in the same way without and with lists of conflicts.

#include "planner/tvm/tvm_plain.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include "planner/planner.h"
#include "planner/tvm/tvm_liveness.h"
#include "tests/unit/planner/laws.h"

namespace tenon::planner {
namespace {

// One pool, with alignments, empty buffers, empty lifetimes and equal names.
Problem MakePlain(uint32_t seed) {
  std::mt19937 random(seed);
  const auto draw = [&](uint32_t most) { return static_cast<int64_t>(random() % (most + 1)); };
  Problem problem;
  Pool& pool = problem.pools.emplace_back();
  pool.name = "pool";
  pool.alignment = int64_t{1} << draw(3);
  pool.base_offset = draw(5);
  if (seed % 3 == 0) pool.capacity = 40 + draw(400);
  const int64_t count = 1 + draw(40);
  for (int64_t i = 0; i < count; ++i) {
    Buffer& buffer = problem.buffers.emplace_back();
    buffer.name = std::to_string(draw(30));
    buffer.size = draw(3) == 0 ? 0 : draw(40);
    buffer.alignment = int64_t{1} << draw(5);
    const int64_t first = draw(20);
    if (draw(9) > 0) buffer.lifetimes = {{first, first + draw(15)}};
    buffer.pools = {0};
  }
  return problem;
}

Problem WithLists(const Problem& problem) {
  Problem listed = problem;
  TvmLiveness liveness = *DeriveTvmConflicts(problem.buffers);
  listed.conflicts = std::move(liveness.conflicts);
  listed.memory_pressure = liveness.memory_pressure;
  return listed;
}

TEST(PlainTvmTest, PlacesAsTheListsDo) {
  PlanOptions options;
  options.explain = false;
  options.fall_back = false;
  // hill_climb ends after its first attempt.
  options.work_limit = 0;
  int placed = 0;
  for (uint32_t seed = 0; seed < 600; ++seed) {
    const Problem problem = MakePlain(seed);
    ASSERT_TRUE(ValidateProblem(problem).ok()) << seed;
    const Problem listed = WithLists(problem);
    for (const std::string_view name : {"greedy_by_size", "greedy_by_conflicts", "hill_climb"}) {
      const auto plan = PlanMemory(problem, name, options);
      const auto other = PlanMemory(listed, name, options);
      ASSERT_EQ(plan.ok(), other.ok()) << name << " " << seed << " " << plan.status();
      if (!plan.ok()) continue;
      EXPECT_EQ(plan->placements, other->placements) << name << " " << seed;
      ++placed;
    }
  }
  EXPECT_GT(placed, 1200);
}

TEST(PlainTvmTest, CountsWhatTheListsHold) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const Problem problem = MakePlain(seed);
    const auto plain = PlainTvm::Make(problem);
    if (!plain) continue;
    const TvmLiveness liveness = *DeriveTvmConflicts(problem.buffers);
    int64_t entries = 0;
    for (const auto& list : liveness.conflicts) {
      entries += static_cast<int64_t>(list.size());
    }
    EXPECT_EQ(plain->entries(), entries) << seed;
  }
}

// The lists would have more than 2^27 entries.
TEST(PlainTvmTest, PlansWithoutListsThatAreTooLong) {
  const Problem problem = LawProblem(1).Make("uniform", 16'000);
  ASSERT_GT(PlainTvm::Make(problem)->entries(), kMaxConflictEntries);
  for (const std::string_view name : {"greedy_by_size", "greedy_by_conflicts", "hill_climb"}) {
    const auto plan = PlanMemory(problem, name);
    EXPECT_TRUE(plan.ok()) << name << plan.status();
  }
}

TEST(PlainTvmTest, LeavesOtherRulesToTheLists) {
  Problem problem = MakePlain(1);
  ASSERT_TRUE(PlainTvm::Make(problem).has_value());
  Problem changed = problem;
  changed.buffers[0].kind = BufferKind::kConstant;
  EXPECT_FALSE(PlainTvm::Make(changed).has_value());
  changed = problem;
  changed.buffers[0].groups = {1};
  EXPECT_FALSE(PlainTvm::Make(changed).has_value());
  changed = problem;
  changed.pools.push_back(changed.pools[0]);
  EXPECT_FALSE(PlainTvm::Make(changed).has_value());
}

}  // namespace
}  // namespace tenon::planner
