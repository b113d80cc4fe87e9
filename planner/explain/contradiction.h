#ifndef TENON_PLANNER_EXPLAIN_CONTRADICTION_H_
#define TENON_PLANNER_EXPLAIN_CONTRADICTION_H_

// Internal: rules that no offsets satisfy, however large a pool is.

#include <optional>
#include <string>

#include "planner/explain/misfit.h"
#include "planner/planner.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// Looks for a contradiction by exhaustive search among buffers that relations and fixed offsets
/// tie together. Nullopt: the limits of `options` ended the search, or the rules agree.
std::optional<Contradiction> FindContradiction(const Problem& problem, const PlanOptions& options);

/// Describes the rules between the buffers as text, one for each pair that has one.
std::string DescribeContradiction(const Problem& problem, const Contradiction& contradiction);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXPLAIN_CONTRADICTION_H_
