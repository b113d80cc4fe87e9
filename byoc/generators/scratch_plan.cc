#include "byoc/generators/scratch_plan.h"

#include <fmt/format.h>

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

std::optional<ScratchPlan> PlanScratch(const ExternalFunction& external,
                                       const std::vector<OpCall>& ops,
                                       const std::vector<int64_t>& call_bytes, int64_t alignment) {
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
  for (size_t time = 0; time < call_bytes.size(); ++time) {
    if (call_bytes[time] == 0) continue;
    const auto now = static_cast<int64_t>(time);
    planner::Buffer& buffer = problem.buffers.emplace_back();
    buffer.name = fmt::format("call{}", time);
    buffer.size = call_bytes[time];
    buffer.alignment = alignment;
    buffer.pools = {0};
    buffer.lifetimes = {{now, now + 1}};
  }
  ScratchPlan plan;
  plan.call_offsets.resize(call_bytes.size());
  if (problem.buffers.empty()) return plan;
  const absl::StatusOr<planner::Plan> found =
      planner::PlanMemory(problem, planner::kDefaultAlgorithm);
  if (!found.ok()) return std::nullopt;
  plan.call_offsets.clear();
  size_t next = 0;
  for (size_t i = 0; i < external.intermediates.size(); ++i)
    plan.offsets.push_back(found->placements[next++].offset);
  for (const int64_t bytes : call_bytes)
    plan.call_offsets.push_back(bytes == 0 ? 0 : found->placements[next++].offset);
  plan.bytes = found->pools[0].size;
  return plan;
}

}  // namespace tenon
