#ifndef TENON_PASSES_MEMORY_CONSTANT_ORDER_H_
#define TENON_PASSES_MEMORY_CONSTANT_ORDER_H_

#include <string_view>

#include "absl/status/status.h"
#include "planner/problem/problem.h"

// Internal to plan-memory.

namespace tenon {

/// The orders of constants: `packed` (the planner's, with the least padding), `first_use`, and
/// `tvm` (TVM's greedy_by_size).
bool IsConstantOrder(std::string_view order);

/// Arranges the constants of every pool without other contents in this order, one after another,
/// unless they then do not fit the pool. The plan is checked again.
absl::Status OrderConstants(const planner::Problem& problem, std::string_view order,
                            planner::Plan& plan);

}  // namespace tenon

#endif  // TENON_PASSES_MEMORY_CONSTANT_ORDER_H_
