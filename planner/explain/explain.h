#ifndef TENON_PLANNER_EXPLAIN_EXPLAIN_H_
#define TENON_PLANNER_EXPLAIN_EXPLAIN_H_

// Internal: explains why a problem does not fit.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "planner/explain/misfit.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// The buffer that exceeds all its pools by the most bytes, or a pool that is smaller than its
/// bound; nullopt if neither exists.
std::optional<Misfit> FindMisfit(const Problem& problem, const std::vector<LowerBound>& bounds);

/// Plans a variant of the problem in the same way; `thorough` selects the larger limits.
using TryPlan = std::function<absl::StatusOr<Plan>(const Problem& problem, bool thorough)>;

/// Fills in the changes that would fit. A limit on plans and bounds, lower for larger problems,
/// ends the search. Returns a plan of the unchanged problem if the search happens to find one.
std::optional<Plan> FindChanges(const Problem& problem, const TryPlan& try_plan, Misfit* misfit);

/// Describes `misfit` as text, with the pools' `bounds`. `algorithm` is named where nothing is
/// proven.
std::string DescribeMisfit(const Problem& problem, std::string_view algorithm,
                           const std::vector<LowerBound>& bounds, const Misfit& misfit);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXPLAIN_EXPLAIN_H_
