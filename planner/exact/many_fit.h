#ifndef TENON_PLANNER_EXACT_MANY_FIT_H_
#define TENON_PLANNER_EXACT_MANY_FIT_H_

// Internal: the heuristics for more buffers than can be searched or compared pair by pair.

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "planner/exact/core_fit.h"
#include "planner/exact/search_budget.h"

namespace tenon::planner {

/// What ManyFit found.
struct ManyFitResult {
  /// Of all boxes.
  std::vector<int64_t> offsets;
  /// The step that found them (docs/planning.md).
  std::string_view found_by;
};

/// Offsets with a peak as small as found: tracks, skylines in several orders, holes in several
/// orders as far as there are not too many meetings, falling and rising by turns as long as that
/// helps, then exact search for the core. Ends as soon as the peak is at most `goal`, or the
/// budget's time is over (not before there is a plan).
/// `progress`, unless null, is told every smaller peak. `is_quick` says that a rebuilding ejection
/// search follows: where much meets, orders of holes are left to it.
ManyFitResult ManyFit(const CoreProblem& core, int64_t goal, bool is_quick, SearchBudget* budget,
                      const std::function<void(int64_t peak)>& progress = nullptr);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_MANY_FIT_H_
