#ifndef TENON_SCHEDULE_SCHEDULE_RULES_H_
#define TENON_SCHEDULE_SCHEDULE_RULES_H_

#include <string>
#include <vector>

#include "schedule/schedule.h"
#include "schedule/step_facts.h"

// The rules that a schedule must obey, so that its loops compute what the computation says.

namespace tenon {

/// The sum of a value that lanes along the loop `row` can compute. -1 if there is none, or if
/// several sums of the value depend on the row.
int LaneSum(const StepFacts& facts, int step, int row, bool is_scalar = false);

/// The access of a sum of the value `step` that fits `combine`: the distance of neighbouring lanes,
/// in elements, is the number of products that `combine` adds at once. -1 if there is none, or if
/// `combine` adds single products. The innermost loop of the sum has the same number of iterations,
/// which read the elements in between.
int GroupAccess(const Computation& computation, int step, int row, Combine combine);

/// The reason why a store cannot follow a schedule; empty if it can. The loops of OpLoops then
/// compute the same values, and sums of floats keep their order.
std::string WhyNotSchedule(const Computation& computation, const ComputationStore& store,
                           const Schedule& schedule, int64_t register_bytes);

}  // namespace tenon

#endif  // TENON_SCHEDULE_SCHEDULE_RULES_H_
