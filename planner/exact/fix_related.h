#ifndef TENON_PLANNER_EXACT_FIX_RELATED_H_
#define TENON_PLANNER_EXACT_FIX_RELATED_H_

// Internal: relations among very many buffers.

#include <optional>

#include "planner/exact/search_budget.h"
#include "planner/planner.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// Returns the problem with a fixed offset for each buffer that has a relation. Those buffers are
/// planned alone, together with the fixed ones, so that the heuristics for very many buffers can
/// ignore relations. Nullopt if there is nothing to fix, if more than 1,000 buffers would be
/// planned or some have a choice of pools, or if no plan was found for them.
std::optional<Problem> FixRelated(const Problem& problem, const PlanOptions& options,
                                  SearchBudget* budget);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_FIX_RELATED_H_
