#ifndef TENON_PLANNER_CHECK_COST_CHECKER_H_
#define TENON_PLANNER_CHECK_COST_CHECKER_H_

#include <cstdint>
#include <string>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// What is wrong with the cost of a plan whose placements are right, or nothing. Adds one to
/// `on_trust` for the claim that it is the least, unless every buffer has the best of its pools.
/// Part of the checker.
std::string RefuseCost(const Problem& problem, const Plan& plan, int32_t* on_trust);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_CHECK_COST_CHECKER_H_
