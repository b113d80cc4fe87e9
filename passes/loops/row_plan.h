#ifndef TENON_PASSES_LOOPS_ROW_PLAN_H_
#define TENON_PASSES_LOOPS_ROW_PLAN_H_

#include <functional>
#include <optional>

#include "analysis/computation.h"
#include "schedule/machine.h"
#include "schedule/schedule.h"

namespace tenon {

/// Blocks of a sum along one loop of its results.
struct RowPlan {
  /// The computation, which first stores elements that are apart along the row.
  Computation computation;
  /// Nullopt: results are computed one by one, from the copies.
  std::optional<Schedule> schedule;
  /// The time of the store and of the copies that it needs (schedule/cost.h).
  double cycles = 0;
};

/// The cheapest row for the reduction `sum`, which one store of `all` computes. Nullopt if lanes
/// along no loop of the results are cheaper than results that are computed one by one.
/// `is_finite(operand)`: all elements of an operand are known to be finite.
std::optional<RowPlan> PlanRow(const Computation& all, int sum, const Machine& machine,
                               const std::function<bool(int)>& is_finite);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_ROW_PLAN_H_
