#ifndef TENON_IR_MEMORY_PLAN_H_
#define TENON_IR_MEMORY_PLAN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ir/module.h"

// Readers of the attribute `tenon.memory_plan`, which planning adds to a module.

namespace tenon {

/// A pool of the plan. Members that the attribute lacks are -1.
struct PlannedPool {
  std::string name;
  int64_t size_bytes = -1;
  int64_t lower_bound_bytes = -1;
  int64_t alignment = -1;
  bool proven_optimal = false;
};

/// The member of `tenon.memory_plan` for the spill.
inline constexpr std::string_view kSpillKey = "spill";

/// Buffers of the plan that are not in their best pool, for lack of room there.
struct PlannedSpill {
  struct Move {
    std::string from;
    std::string to;
    int64_t buffers = 0;
    int64_t bytes = 0;
  };
  std::vector<Move> moves;
  /// No plan spills fewer bytes.
  int64_t bound_bytes = 0;
  /// No plan takes less time, or the same time with fewer bytes times places in the list of pools.
  bool is_least = false;
  /// How far the time, or the bytes times places, may be above the least: millionths of the bound;
  /// -1 if unknown.
  int64_t cost_gap_millionths = -1;
};

/// The spill of a module's plan; without moves if nothing is spilled.
PlannedSpill ReadPlannedSpill(const IRModule& module);
/// The attribute that ReadPlannedSpill reads.
const Attr* SpillAttr(NodeBuilder& builder, const PlannedSpill& spill);

/// The pools of a module's plan, in the order of the attribute; empty for a module without a plan.
std::vector<PlannedPool> ReadPlannedPools(const IRModule& module);

/// The name of the algorithm that made the plan; empty if the attribute does not name it.
std::string_view ReadPlanAlgorithm(const IRModule& module);

}  // namespace tenon

#endif  // TENON_IR_MEMORY_PLAN_H_
