#ifndef TENON_PLANNER_CHECK_COST_CHECKER_H_
#define TENON_PLANNER_CHECK_COST_CHECKER_H_

#include <cstdint>
#include <string>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// Part of the checker. Returns what is wrong with the cost of a plan whose placements are right,
/// or an empty string. Adds one to `on_trust` for the claim that the cost is the least, unless
/// every buffer is in its cheapest pool.
std::string RefuseCost(const Problem& problem, const Plan& plan, int32_t* on_trust);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_CHECK_COST_CHECKER_H_
