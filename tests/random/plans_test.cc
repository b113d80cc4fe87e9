// Plans of random modules. Modules run at their planned places: a byte that another allocation has
// written counts as not written. Randomly damaged plans must be refused by the checker if they
// fail.

#include "ir/loaded_constants.h"
#include "ir/memory_pools.h"
#include "ir/overlaps.h"
#include "ir/visitor.h"
#include "passes/memory/plan_memory.h"
#include "passes/pipeline/default_pipelines.h"
#include "planner/check/checker.h"
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

ModuleOptions Reusing() {
  ModuleOptions options = Larger();
  options.statements = 8;
  options.reuse = true;
  return options;
}

ModuleOptions Operators() {
  ModuleOptions options;
  options.operators = true;
  return options;
}

class RandomPlans : public testing::TestWithParam<std::string_view> {};

/// Functions whose parameters share bytes in some call.
size_t CountOverlaps(const IRModule& module) {
  size_t count = 0;
  for (const Function& function : module.functions()) count += ReadOverlaps(*function.func).size();
  return count;
}

/// Runs plans of random modules; `options_text` are options of plan-memory. Adds the number of
/// pairs of parameters that share bytes to `shared`.
void KeepResults(std::string_view options_text, const ModuleOptions& options,
                 size_t* shared = nullptr, std::string_view before = kReady) {
  const Seeds seeds(120);
  size_t placed = 0;
  size_t overlaps = 0;
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed, options);
    const auto want = sample.Run(sample.module);
    ASSERT_TRUE(want.has_value()) << sample.Messages();
    const std::string text = fmt::format("{},plan-memory{{{}}},verify-plan", before, options_text);
    const auto planned = sample.Apply(sample.module, text);
    overlaps += planned.has_value() ? CountOverlaps(*planned) : 0;
    ASSERT_TRUE(planned.has_value()) << sample.Messages() << PrintModule(sample.module);
    const InterpreterOptions placements = PlacementsOf(*planned);
    placed += placements.placement.size();
    const auto poisoned = sample.Run(*planned, placements);
    ASSERT_TRUE(poisoned.has_value()) << sample.Messages() << PrintModule(*planned);
    ASSERT_EQ(*want, *poisoned) << "seed " << seed;
    const auto converted = sample.Apply(*planned, "convert-pool-allocations-to-offsets");
    ASSERT_TRUE(converted.has_value()) << sample.Messages();
    const auto result = sample.Run(*converted);
    ASSERT_TRUE(result.has_value()) << sample.Messages() << PrintModule(*converted);
    ASSERT_EQ(*want, *result) << "seed " << seed;
  }
  EXPECT_GE(placed, seeds.Part(100));
  if (shared != nullptr) *shared += overlaps;
}

std::string Algorithm(std::string_view name) { return fmt::format("algorithm={}", name); }

TEST_P(RandomPlans, KeepResults) { KeepResults(Algorithm(GetParam()), Larger()); }
TEST_P(RandomPlans, KeepResultsOfBuffersWrittenAnew) {
  KeepResults(Algorithm(GetParam()), Reusing());
}

TEST(RandomOverlaps, KeepResults) {
  constexpr std::string_view kOptions = "overlap=on workspace-alignment=1";
  size_t overlaps = 0;
  KeepResults(kOptions, Larger(), &overlaps);
  KeepResults(kOptions, Reusing(), &overlaps);
  KeepResults(kOptions, Operators(), &overlaps);
  fmt::print("{} pairs of parameters share bytes\n", overlaps);
}

// With the fusion passes first.
TEST(RandomOverlaps, KeepResultsOfFusedOperators) {
  const std::string fused =
      fmt::format("lower-blocks,flatten-buffers,lower-packed-calls,{},assign-pool-info",
                  PipelineText(FusionPipeline({.fuse = true, .narrow = true, .lanes = true})));
  size_t overlaps = 0;
  KeepResults("overlap=on workspace-alignment=1", Operators(), &overlaps, fused);
  EXPECT_GT(overlaps, 0U);
}

INSTANTIATE_TEST_SUITE_P(All, RandomPlans,
                         testing::ValuesIn(planner::AlgorithmNames().begin(),
                                           planner::AlgorithmNames().end()),
                         [](const auto& info) { return std::string(info.param); });

/// Whether a workspace allocation that is ever live shares bytes with a loaded constant.
bool MeetsLoaded(const Liveness& liveness, const std::vector<LoadedConstant>& loaded) {
  for (size_t i = 0; i < liveness.allocations.size(); ++i) {
    const Allocation& allocation = liveness.allocations[i];
    const auto note = ReadPlacement(allocation.annotations);
    if (!note || allocation.is_constant || liveness.ranges[i].empty()) continue;
    for (const LoadedConstant& constant : loaded) {
      if (constant.pool == note->pool && note->offset < constant.offset + constant.size_bytes &&
          constant.offset < note->offset + allocation.size_bytes)
        return true;
    }
  }
  return false;
}

// Constants that are copied or decompressed into the workspace are never overwritten, with any
// algorithm, and results do not change.
TEST(RandomPlans, KeepLoadedConstants) {
  const Seeds seeds(240);
  uint64_t copied = 0;
  uint64_t decompressed = 0;
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed, seed % 2 == 0 ? Larger() : Reusing());
    const auto want = sample.Run(sample.module);
    ASSERT_TRUE(want.has_value()) << sample.Messages();
    const auto algorithms = planner::AlgorithmNames();
    const std::string text = fmt::format(
        "{},promote-constants{{budget={}}},compress-constants{{codec={} min_ratio=1}},"
        "assign-pool-info,plan-memory{{algorithm={}}}",
        kReady, seed % 5 * 32, seed % 3 == 0 ? "zstd" : "lz4",
        algorithms[seed % algorithms.size()]);
    const auto planned = sample.Apply(sample.module, text);
    ASSERT_TRUE(planned.has_value()) << sample.Messages() << PrintModule(sample.module);
    const auto poisoned = sample.Run(*planned, PlacementsOf(*planned));
    ASSERT_TRUE(poisoned.has_value()) << sample.Messages() << PrintModule(*planned);
    ASSERT_EQ(*want, *poisoned) << "seed " << seed;
    const auto converted = sample.Apply(*planned, "convert-pool-allocations-to-offsets");
    ASSERT_TRUE(converted.has_value()) << sample.Messages();
    const auto loaded = ReadLoadedConstants(*converted->Main()->func);
    for (const LoadedConstant& constant : loaded)
      ++(constant.codec.empty() ? copied : decompressed);
    const auto liveness = ComputeLiveness(*planned, *planned->Main(), sample.diagnostics);
    ASSERT_TRUE(liveness.has_value()) << sample.Messages();
    ASSERT_FALSE(MeetsLoaded(*liveness, loaded)) << "seed " << seed << PrintModule(*planned);
    const auto result = sample.Run(*converted);
    ASSERT_TRUE(result.has_value()) << sample.Messages() << PrintModule(*converted);
    ASSERT_EQ(*want, *result) << "seed " << seed;
  }
  RecordProperty("copied", static_cast<int>(copied));
  RecordProperty("decompressed", static_cast<int>(decompressed));
  EXPECT_GE(copied, seeds.Part(40));
  EXPECT_GE(decompressed, seeds.Part(20));
}

int64_t TicksOf(const std::vector<LiveRange>& ranges) {
  int64_t ticks = 0;
  for (const LiveRange& range : ranges) ticks += range.upper - range.lower;
  return ticks;
}

// Many kinds of overwrites are recognized: they make lifetimes shorter and pools smaller.
TEST(RandomPlans, KnowingOverwritesIsWorthSomething) {
  const Seeds seeds(200);
  int buffers = 0;
  int shorter = 0;
  uint64_t smaller = 0;
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed, Reusing());
    const auto ready = sample.Apply(sample.module, kReady);
    ASSERT_TRUE(ready.has_value()) << sample.Messages();
    const auto made = MakeMemoryProblem(*ready, {}, sample.diagnostics);
    const auto without =
        ComputeLiveness(*ready, *ready->Main(), sample.diagnostics, {.overwrites = false});
    ASSERT_TRUE(made.ok() && without.has_value()) << sample.Messages();
    planner::Problem longer = made->problem;
    for (size_t i = 0; i < made->allocation_of.size(); ++i) {
      const std::vector<LiveRange>& ranges = without->ranges[made->allocation_of[i]];
      const int64_t most = TicksOf(ranges);
      const int64_t ticks = TicksOf(made->liveness.ranges[made->allocation_of[i]]);
      EXPECT_LE(ticks, most) << "seed " << seed;
      ++buffers;
      shorter += ticks < most ? 1 : 0;
      longer.buffers[i].lifetimes.clear();
      for (const LiveRange& range : ranges) {
        longer.buffers[i].lifetimes.push_back({range.lower, range.upper});
      }
    }
    const auto plan = planner::PlanMemory(made->problem, "first_fit");
    const auto other = planner::PlanMemory(longer, "first_fit");
    ASSERT_TRUE(plan.ok() && other.ok());
    if (!plan->pools.empty()) smaller += plan->pools[0].size < other->pools[0].size ? 1 : 0;
  }
  RecordProperty("buffers", buffers);
  RecordProperty("shorter", shorter);
  RecordProperty("smaller", static_cast<int>(smaller));
  EXPECT_GT(shorter, buffers / 10);
  EXPECT_GE(smaller, seeds.Part(20));
}

// Plans that the checker accepts run correctly. The check is not trivial: many refused plans fail.
TEST(RandomPlans, WhatTheCheckerAcceptsRuns) {
  const Seeds seeds(150);
  uint64_t accepted = 0;
  uint64_t refused = 0;
  uint64_t wrong = 0;
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
      // Sizes and bounds change with the places; this test is not about them.
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
  EXPECT_GE(accepted, seeds.Part(20));
  EXPECT_GE(refused, seeds.Part(100));
  EXPECT_GE(wrong, refused / 4);
}

}  // namespace
}  // namespace tenon::random_ir
