#include "byoc/generators/scratch_plan.h"

#include <algorithm>

#include "ir/extents.h"
#include "planner/planner.h"

namespace tenon {

namespace {

bool HasUnknownPointer(const std::vector<OpCall>& ops) {
  return std::any_of(ops.begin(), ops.end(), [](const OpCall& op) {
    return std::any_of(op.args.begin(), op.args.end(), [](const OpArgument& arg) {
      return arg.kind == OpArgument::Kind::kOther && arg.expr->dtype.is_handle();
    });
  });
}

}  // namespace

std::optional<ScratchPlan> PlanScratch(const ExternalFunction& external, int64_t alignment) {
  planner::Problem problem;
  planner::Pool& pool = problem.pools.emplace_back();
  pool.name = "scratch";
  pool.alignment = alignment;
  for (const Allocate* allocate : external.intermediates) {
    const std::optional<int64_t> bytes = StaticBytes(allocate->dtype, allocate->extents);
    if (!bytes) return std::nullopt;
    planner::Buffer& buffer = problem.buffers.emplace_back();
    buffer.name = std::string(allocate->buffer_var->name.view());
    buffer.size = *bytes;
    buffer.alignment = alignment;
    buffer.pools = {0};
  }
  const std::vector<OpCall>& ops = *external.ops;
  const auto end = static_cast<int64_t>(ops.size());
  for (size_t time = 0; time < ops.size(); ++time) {
    for (const OpArgument& arg : ops[time].args) {
      if (arg.kind != OpArgument::Kind::kIntermediate) continue;
      auto& lifetimes = problem.buffers[static_cast<size_t>(arg.index)].lifetimes;
      const auto now = static_cast<int64_t>(time);
      if (lifetimes.empty()) lifetimes.push_back({now, now});
      lifetimes[0].upper = now + 1;
    }
  }
  if (HasUnknownPointer(ops)) {
    for (planner::Buffer& buffer : problem.buffers) buffer.lifetimes = {{0, end}};
  }
  ScratchPlan plan;
  if (problem.buffers.empty()) return plan;
  const absl::StatusOr<planner::Plan> found =
      planner::PlanMemory(problem, planner::kDefaultAlgorithm);
  if (!found.ok()) return std::nullopt;
  for (const planner::Placement& placement : found->placements)
    plan.offsets.push_back(placement.offset);
  plan.bytes = found->pools[0].size;
  return plan;
}

}  // namespace tenon
