// An order other than the planner's lays out pools of constants again. It cannot make a plan wrong:
// the judge of plans sees the result, and a pool that would overflow keeps its offsets.

#include "passes/memory/constant_order.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "planner/check/checker.h"
#include "planner/planner.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// The constants of each pool; empty for a pool that also has other buffers.
std::vector<std::vector<size_t>> ConstantsOfPools(const planner::Problem& problem,
                                                  const planner::Plan& plan) {
  std::vector<std::vector<size_t>> constants(problem.pools.size());
  std::vector<bool> has_others(problem.pools.size());
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const auto pool = static_cast<size_t>(plan.placements[i].pool);
    const planner::Buffer& buffer = problem.buffers[i];
    constants[pool].push_back(i);
    if (buffer.kind != planner::BufferKind::kConstant || buffer.fixed_offset)
      has_others[pool] = true;
  }
  for (size_t p = 0; p < constants.size(); ++p) {
    if (has_others[p]) constants[p].clear();
  }
  return constants;
}

/// The offsets that TVM's greedy_by_size gives if the pool has no other buffers.
absl::StatusOr<std::vector<int64_t>> TvmOffsets(const planner::Problem& problem,
                                                const std::vector<size_t>& constants, size_t pool) {
  planner::Problem alone;
  alone.pools.push_back(problem.pools[pool]);
  for (const size_t i : constants) {
    planner::Buffer buffer = problem.buffers[i];
    buffer.pools = {0};
    buffer.groups.clear();
    alone.buffers.push_back(std::move(buffer));
  }
  TENON_ASSIGN_OR(const planner::Plan plan, planner::PlanMemory(alone, "greedy_by_size"));
  std::vector<int64_t> offsets;
  for (const planner::Placement& placement : plan.placements) offsets.push_back(placement.offset);
  return offsets;
}

/// One after another, in the given order.
std::vector<int64_t> OffsetsInOrder(const planner::Problem& problem,
                                    const std::vector<size_t>& constants, size_t pool) {
  const planner::Pool& storage = problem.pools[pool];
  std::vector<int64_t> offsets;
  int64_t end = 0;
  for (const size_t i : constants) {
    const int64_t alignment = std::max(problem.buffers[i].alignment, storage.alignment);
    const int64_t address = storage.base_offset + end;
    end += (alignment - address % alignment) % alignment;
    offsets.push_back(end);
    end += problem.buffers[i].size;
  }
  return offsets;
}

}  // namespace

bool IsConstantOrder(std::string_view order) {
  return order == "packed" || order == "first_use" || order == "tvm";
}

absl::Status OrderConstants(const planner::Problem& problem, std::string_view order,
                            planner::Plan& plan) {
  if (order == "packed") return absl::OkStatus();
  planner::Plan ordered = plan;
  const std::vector<std::vector<size_t>> all = ConstantsOfPools(problem, plan);
  for (size_t p = 0; p < all.size(); ++p) {
    const std::vector<size_t>& constants = all[p];
    if (constants.empty()) continue;
    std::vector<int64_t> offsets;
    if (order == "tvm") {
      absl::StatusOr<std::vector<int64_t>> tvm = TvmOffsets(problem, constants, p);
      if (!tvm.ok()) continue;
      offsets = *std::move(tvm);
    } else {
      offsets = OffsetsInOrder(problem, constants, p);
    }
    int64_t size = 0;
    for (size_t k = 0; k < constants.size(); ++k)
      size = std::max(size, offsets[k] + problem.buffers[constants[k]].size);
    const int64_t capacity = problem.pools[p].capacity;
    if (capacity != planner::kUnlimited && size > capacity) continue;
    for (size_t k = 0; k < constants.size(); ++k)
      ordered.placements[constants[k]].offset = offsets[k];
    ordered.pools[p].size = size;
    ordered.proven_optimal &= size == ordered.pools[p].lower_bound.bytes;
  }
  const planner::PlanVerdict verdict = planner::CheckPlan(problem, ordered);
  if (!verdict.ok()) return absl::InternalError("constants in order: " + verdict.message);
  plan = std::move(ordered);
  return absl::OkStatus();
}

}  // namespace tenon
