// Plans of random modules: run at their places, where a byte that another allocation has written
// counts as not written, and spoilt at random, where the checker has to refuse what goes wrong.

#include "ir/memory_pools.h"
#include "ir/visitor.h"
#include "passes/plan_memory.h"
#include "planner/checker.h"
#include "random/check.h"

namespace tenon::random_ir {
namespace {

constexpr std::string_view kReady =
    "convert-for-loops-to-serial,lower-blocks,flatten-buffers,assign-pool-info";

ModuleOptions Larger() {
  ModuleOptions options;
  options.statements = 14;
  options.depth = 2;
  return options;
}

InterpreterOptions PlacementsOf(const IRModule& module) {
  InterpreterOptions options;
  for (const Function& function : module.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<Allocate>(node)) {
        if (const auto note = ReadPlacement(allocate->annotations)) {
          options.placement[allocate->buffer_var] = {std::string(note->pool), note->offset};
        }
      }
      return isa<Stmt>(node) || isa<PrimFunc>(node);
    });
  }
  return options;
}

class RandomPlans : public testing::TestWithParam<std::string_view> {};

TEST_P(RandomPlans, KeepResults) {
  const Seeds seeds(120);
  size_t placed = 0;
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed, Larger());
    const auto want = sample.Run(sample.module);
    ASSERT_TRUE(want.has_value()) << sample.Messages();
    const std::string text = fmt::format("{},plan-memory{{algorithm={}}}", kReady, GetParam());
    const auto planned = sample.Apply(sample.module, text);
    ASSERT_TRUE(planned.has_value()) << sample.Messages() << PrintModule(sample.module);
    const InterpreterOptions options = PlacementsOf(*planned);
    placed += options.placement.size();
    const auto poisoned = sample.Run(*planned, options);
    ASSERT_TRUE(poisoned.has_value()) << sample.Messages() << PrintModule(*planned);
    ASSERT_EQ(*want, *poisoned) << "seed " << seed;
    const auto converted = sample.Apply(*planned, "convert-pool-allocations-to-offsets");
    ASSERT_TRUE(converted.has_value()) << sample.Messages();
    const auto result = sample.Run(*converted);
    ASSERT_TRUE(result.has_value()) << sample.Messages() << PrintModule(*converted);
    ASSERT_EQ(*want, *result) << "seed " << seed;
  }
  EXPECT_GT(placed, 100u);
}

INSTANTIATE_TEST_SUITE_P(All, RandomPlans,
                         testing::ValuesIn(planner::AlgorithmNames().begin(),
                                           planner::AlgorithmNames().end()),
                         [](const auto& info) { return std::string(info.param); });

// What the checker lets pass runs; and it is no formality: many of the plans it refuses go wrong.
TEST(RandomPlans, WhatTheCheckerAcceptsRuns) {
  const Seeds seeds(150);
  int accepted = 0;
  int refused = 0;
  int wrong = 0;
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed, Larger());
    Dice dice(seed);
    const auto want = sample.Run(sample.module);
    const auto ready = sample.Apply(sample.module, kReady);
    ASSERT_TRUE(want.has_value() && ready.has_value()) << sample.Messages();
    const auto made = MakeMemoryProblem(*ready, {}, sample.diagnostics);
    ASSERT_TRUE(made.ok()) << sample.Messages();
    const size_t count = made->problem.buffers.size();
    if (count < 2) continue;
    const auto plan = planner::PlanMemory(made->problem, "first_fit");
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (int round = 0; round < 6; ++round) {
      planner::Plan spoilt = *plan;
      for (int64_t moves = dice.Between(1, 3); moves > 0; --moves) {
        auto& from =
            spoilt.placements[static_cast<size_t>(dice.Below(static_cast<int64_t>(count)))];
        const auto& to =
            spoilt.placements[static_cast<size_t>(dice.Below(static_cast<int64_t>(count)))];
        if (from.pool == to.pool) from.offset = to.offset;
      }
      InterpreterOptions options;
      for (size_t i = 0; i < count; ++i) {
        const Allocation& allocation = made->liveness.allocations[made->allocation_of[i]];
        if (allocation.is_constant) continue;
        const planner::Placement& place = spoilt.placements[i];
        options.placement[allocation.var] = {made->problem.pools[planner::Index(place.pool)].name,
                                             place.offset};
      }
      // Sizes and bounds change with the places; they are not what is at stake here.
      const planner::PlanFault fault = planner::CheckPlan(made->problem, spoilt).fault;
      const bool places_ok =
          fault == planner::PlanFault::kNone || fault >= planner::PlanFault::kPoolSize;
      const auto result = sample.Run(*ready, options);
      const bool runs = result.has_value() && *result == *want;
      if (places_ok) {
        ++accepted;
        EXPECT_TRUE(runs) << sample.Messages() << PrintModule(*ready);
        if (!runs) return;
      } else {
        ++refused;
        wrong += runs ? 0 : 1;
      }
    }
  }
  EXPECT_GT(accepted, 20);
  EXPECT_GT(refused, 100);
  EXPECT_GT(wrong, refused / 4);
}

}  // namespace
}  // namespace tenon::random_ir
