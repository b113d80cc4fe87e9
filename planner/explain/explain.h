#ifndef TENON_PLANNER_EXPLAIN_EXPLAIN_H_
#define TENON_PLANNER_EXPLAIN_EXPLAIN_H_

// Internal: what to say when a problem does not fit.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "planner/explain/misfit.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// The buffer that is larger than all its pools, by most, or a pool that is smaller than its bound;
/// nothing if there is neither.
std::optional<Misfit> FindMisfit(const Problem& problem, const std::vector<LowerBound>& bounds);

/// Plans another problem in the same way, with the limits of a quick try or of a thorough one.
using TryPlan = std::function<absl::StatusOr<Plan>(const Problem& problem, bool thorough)>;

/// Fills in what would fit. The search is bounded by a number of plans and bounds, fewer for larger
/// problems. When a plan for the problem itself turns up on the way, it is returned.
std::optional<Plan> FindChanges(const Problem& problem, const TryPlan& try_plan, Misfit* misfit);

/// All of it as text; `algorithm` is named where nothing is proven. `bounds` are those of the
/// pools.
std::string DescribeMisfit(const Problem& problem, std::string_view algorithm,
                           const std::vector<LowerBound>& bounds, const Misfit& misfit);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXPLAIN_EXPLAIN_H_
