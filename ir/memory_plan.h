#ifndef TENON_IR_MEMORY_PLAN_H_
#define TENON_IR_MEMORY_PLAN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

/// The pools of a module's plan, in the order of the attribute; empty for a module without a plan.
std::vector<PlannedPool> ReadPlannedPools(const IRModule& module);

/// The name of the algorithm that made the plan; empty if the attribute does not name it.
std::string_view ReadPlanAlgorithm(const IRModule& module);

}  // namespace tenon

#endif  // TENON_IR_MEMORY_PLAN_H_
