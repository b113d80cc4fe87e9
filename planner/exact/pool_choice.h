#ifndef TENON_PLANNER_EXACT_POOL_CHOICE_H_
#define TENON_PLANNER_EXACT_POOL_CHOICE_H_

// Internal: chooses one of the candidate pools for each buffer.

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
  /// No choice costs less.
  Price bound;
  /// True if the search tried all choices and no choice that fits is cheaper.
  bool is_least = false;
  /// True if the search tried all choices and none fits.
  bool nothing_fits = false;
};

/// Plans a problem in which every buffer has a single candidate.
using PlanFixed = std::function<absl::StatusOr<Plan>(const Problem& problem)>;

/// The problem with the given pool as the only candidate of each buffer.
Problem WithChoice(const Problem& problem, const std::vector<int32_t>& pools);

/// Makes a choice cheaper. First, buffers move to cheaper pools that still have room, those that
/// save most relative to their size and lifetime first. Then branch and bound explores the choices
/// of all buffers, the cheapest pool of each first. A branch ends if no cheaper choice can follow,
/// or if a pool with a capacity is proven too small. Constants in pools of their own are chosen by
/// their sums (summed_choice.h). `start` fits, or is empty if no choice is known to fit; the result
/// can then also be empty. The number of plans is limited, to fewer for more buffers.
PoolChoice ImproveChoice(const Problem& problem, const AccessCosts& costs,
                         const std::vector<int32_t>& start, const PlanFixed& plan_fixed,
                         const SearchBudget& budget);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_POOL_CHOICE_H_
