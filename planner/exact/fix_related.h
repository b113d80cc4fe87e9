#ifndef TENON_PLANNER_EXACT_FIX_RELATED_H_
#define TENON_PLANNER_EXACT_FIX_RELATED_H_

// Internal: relations among very many buffers.

#include <optional>

#include "planner/exact/search_budget.h"
#include "planner/planner.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// The problem with a fixed offset for each buffer that has a relation: those are planned alone,
/// together with what is fixed already, and the heuristics for very many buffers need to know of no
/// relation any more. Nullopt when there is nothing to fix, when those are more than 1,000 or have
/// a choice of pools, or when no plan was found for them.
std::optional<Problem> FixRelated(const Problem& problem, const PlanOptions& options,
                                  SearchBudget* budget);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_FIX_RELATED_H_
