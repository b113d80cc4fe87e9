#ifndef TENON_TESTS_UNIT_PASSES_PLAN_RUN_UTIL_H_
#define TENON_TESTS_UNIT_PASSES_PLAN_RUN_UTIL_H_

// Runs plans: every allocation is at its place in the pools, and a byte that another allocation has
// written counts as not written. A run without errors and with the right output shows that the plan
// separates allocations that must not overlap.

#include <optional>
#include <string_view>

#include "ir/memory_pools.h"
#include "ir/visitor.h"
#include "passes/lowering/convert_for_loops_to_serial.h"
#include "passes/memory/assign_pool_info.h"
#include "passes/memory/plan_memory.h"
#include "planner/check/checker.h"
#include "tests/run_model.h"

namespace tenon {

/// The placements that plan-memory wrote into a module.
inline InterpreterOptions PlacementsOf(const IRModule& module) {
  InterpreterOptions options;
  for (const Function& function : module.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<Allocate>(node)) {
        if (const auto note = ReadPlacement(allocate->annotations)) {
          options.placement[allocate->buffer_var] = {std::string(note->pool), note->offset};
        }
      }
      return isa<Stmt>(node);
    });
  }
  return options;
}

/// `module` with every allocation planned by `algorithm`.
inline absl::StatusOr<IRModule> Plan(const IRModule& module, std::string_view algorithm,
                                     Diagnostics& diagnostics) {
  PassContext context{diagnostics, /*threads=*/1, {}};
  absl::StatusOr<IRModule> serial = ConvertForLoopsToSerial(module, {}, context);
  if (!serial.ok()) return serial;
  absl::StatusOr<IRModule> assigned = AssignPoolInfo(*serial, {}, context);
  if (!assigned.ok()) return assigned;
  PlanMemoryOptions options;
  options.algorithm = algorithm;
  return PlanMemory(*assigned, options, context);
}

/// A plan of a module's memory, for tests that damage it.
struct OpenPlan {
  MemoryProblem made;
  planner::Plan plan;

  InterpreterOptions Options() const {
    InterpreterOptions options;
    for (size_t i = 0; i < made.allocation_of.size(); ++i) {
      const Allocation& allocation = made.liveness.allocations[made.allocation_of[i]];
      if (allocation.is_constant) continue;
      const planner::Placement& place = plan.placements[i];
      options.placement[allocation.var] = {made.problem.pools[planner::Index(place.pool)].name,
                                           place.offset};
    }
    return options;
  }
};

/// Plans `module`; sets `assigned` to the module to which the plan applies.
inline std::optional<OpenPlan> PlanOpenly(const IRModule& module, IRModule* assigned,
                                          Diagnostics& diagnostics) {
  PassContext context{diagnostics, /*threads=*/1, {}};
  absl::StatusOr<IRModule> serial = ConvertForLoopsToSerial(module, {}, context);
  if (!serial.ok()) return std::nullopt;
  absl::StatusOr<IRModule> ready = AssignPoolInfo(*serial, {}, context);
  if (!ready.ok()) return std::nullopt;
  *assigned = *ready;
  auto made = MakeMemoryProblem(*assigned, {}, diagnostics);
  if (!made.ok()) return std::nullopt;
  auto plan = planner::PlanMemory(made->problem, "first_fit");
  if (!plan.ok()) return std::nullopt;
  return OpenPlan{*std::move(made), *std::move(plan)};
}

}  // namespace tenon

#endif  // TENON_TESTS_UNIT_PASSES_PLAN_RUN_UTIL_H_
