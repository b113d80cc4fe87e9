#ifndef TENON_PASSES_LOOPS_ROW_PLAN_H_
#define TENON_PASSES_LOOPS_ROW_PLAN_H_

#include <functional>
#include <optional>
#include <vector>

#include "analysis/computation.h"
#include "schedule/machine.h"
#include "schedule/schedule.h"

namespace tenon {

/// Blocks of a sum along one loop of its results.
struct RowPlan {
  /// The computation, which first copies elements that are not adjacent along the row.
  Computation computation;
  /// Nullopt: results are computed one by one, from the copies.
  std::optional<Schedule> schedule;
  /// The time of the store and of the copies that it needs (schedule/cost.h).
  double cycles = 0;
  /// The number of copies.
  size_t copies = 0;
};

/// The plans for one reduction.
struct RowChoice {
  /// The three cheapest plans, the best one first.
  std::vector<RowPlan> best;
  /// The time of results that are computed one by one, in the original order.
  double as_text = 0;
};

/// The rows for the reduction `sum`, which one store of `all` computes. `is_finite(operand)`: all
/// elements of an operand are known to be finite. Only plans for whose schedule `suits` is true are
/// considered; null: all plans.
RowChoice PlanRow(const Computation& all, int sum, const Machine& machine,
                  const std::function<bool(int)>& is_finite,
                  const std::function<bool(const std::optional<Schedule>&)>& suits = nullptr);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_ROW_PLAN_H_
