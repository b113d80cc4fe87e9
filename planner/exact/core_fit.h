#ifndef TENON_PLANNER_EXACT_CORE_FIT_H_
#define TENON_PLANNER_EXACT_CORE_FIT_H_

// Internal: exact search where memory is scarce, first-fit everywhere else.

#include <cstdint>
#include <functional>
#include <vector>

#include "planner/exact/search_budget.h"
#include "planner/problem/boxes.h"
#include "planner/problem/pair_rules.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// The input of CoreFit: `boxes` are the `members` of `pool`.
struct CoreProblem {
  const Problem& problem;
  const PairRules& rules;
  int32_t pool;
  const std::vector<int32_t>& members;
  const Boxes& boxes;
};

/// Looks for offsets with a peak of `goal` or, unless `best` is INT64_MAX, at least below `best`.
/// The core, all boxes live when more than some share of `goal` is live, is packed exactly; the
/// other boxes go into its holes. Shares decrease as long as exact search can handle the core.
/// `keep` receives each result and returns the least peak so far.
void CoreFit(const CoreProblem& core, int64_t goal, int64_t best, SearchBudget* budget,
             const std::function<int64_t(std::vector<int64_t>)>& keep);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_CORE_FIT_H_
