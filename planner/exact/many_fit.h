#ifndef TENON_PLANNER_EXACT_MANY_FIT_H_
#define TENON_PLANNER_EXACT_MANY_FIT_H_

// Internal: heuristics for too many buffers to search or to compare in pairs.

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "planner/exact/core_fit.h"
#include "planner/exact/search_budget.h"

namespace tenon::planner {

/// The result of ManyFit.
struct ManyFitResult {
  /// One offset for each box.
  std::vector<int64_t> offsets;
  /// The step that found the offsets (docs/internals/planner.md).
  std::string_view found_by;
};

/// Returns offsets with the smallest peak found. The steps are tracks, skylines in several orders,
/// holes in several orders, falling and rising in turns, then exact search for the core. Holes are
/// skipped if too many pairs overlap in time, and falling ends when it no longer helps. Ends when
/// the peak is at most `goal`, or when the budget's time is over and a plan exists.
/// `progress`, unless null, receives every smaller peak. `is_quick` says that a rebuilding ejection
/// search follows; with many overlaps in time, orders of holes are then left to it.
ManyFitResult ManyFit(const CoreProblem& core, int64_t goal, bool is_quick, SearchBudget* budget,
                      const std::function<void(int64_t peak)>& progress = nullptr);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_MANY_FIT_H_
