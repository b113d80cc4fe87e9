#ifndef TENON_PLANNER_EXACT_POOL_CHOICE_H_
#define TENON_PLANNER_EXACT_POOL_CHOICE_H_

// Internal: which of its candidate pools each buffer goes to.

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "planner/exact/search_budget.h"
#include "planner/problem/access_cost.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// A pool for each buffer.
struct PoolChoice {
  std::vector<int32_t> pools;
  Price price;
  /// No choice that fits is cheaper: all of them have been looked at.
  bool is_least = false;
  /// No choice fits: all of them have been looked at.
  bool nothing_fits = false;
};

/// Plans a problem in which every buffer has one candidate.
using PlanFixed = std::function<absl::StatusOr<Plan>(const Problem& problem)>;

/// The problem with one candidate for each buffer.
Problem WithChoice(const Problem& problem, const std::vector<int32_t>& pools);

/// Makes a choice cheaper: buffers move to cheaper pools that still have room, those that save most
/// for what they take first; then branch and bound over the choices of all buffers, the cheapest
/// pool of each first, cut off where no cheaper one can follow or where a pool with a capacity is
/// proven too small. `start` fits, or is empty when nothing that fits is known; so is the result
/// then. Bounded by a number of plans, fewer for more buffers.
PoolChoice ImproveChoice(const Problem& problem, const AccessCosts& costs,
                         const std::vector<int32_t>& start, const PlanFixed& plan_fixed,
                         const SearchBudget& budget);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_POOL_CHOICE_H_
