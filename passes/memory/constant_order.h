#ifndef TENON_PASSES_MEMORY_CONSTANT_ORDER_H_
#define TENON_PASSES_MEMORY_CONSTANT_ORDER_H_

#include <string_view>

#include "absl/status/status.h"
#include "planner/problem/problem.h"

// Internal to plan-memory.

namespace tenon {

/// Ways to lay out constants: `packed` (as the planner has them, the least padding), `first_use`,
/// and `tvm` (TVM's greedy_by_size).
bool IsConstantOrder(std::string_view order);

/// Lays the constants of every pool that has nothing else out in this order, one after another,
/// unless they do not fit into the pool so. The plan is checked again.
absl::Status OrderConstants(const planner::Problem& problem, std::string_view order,
                            planner::Plan& plan);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_CONSTANT_ORDER_H_
