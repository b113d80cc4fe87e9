#ifndef TENON_SCHEDULE_COST_H_
#define TENON_SCHEDULE_COST_H_

#include <cstdint>

#include "analysis/computation.h"
#include "schedule/machine.h"
#include "schedule/schedule.h"

// A model of the time that loops take, by which schedules are compared. Only the order of two costs
// means something: no cost is a promise of time.

namespace tenon {

/// The time of a store of one sum with a legal schedule, in cycles. A step of a block takes as long
/// as its arithmetic, its loads, or the wait for its sums.
double CyclesOf(const Computation& computation, const ComputationStore& store,
                const Schedule& schedule, const Machine& machine);

/// The time of a store of elements that are computed one by one, as for a copy in another order.
/// Copies of constants are made when the model is compiled, so they take no time.
double CyclesOfCopy(const Computation& computation, const ComputationStore& store);

/// The time of a sum whose results are computed one by one. Sums of integers are added up in lanes
/// along a loop in which all elements lie side by side, if there is one. The order of the loops of
/// the store decides which lines of the cache are neighbours.
double CyclesOfSum(const Computation& computation, const ComputationStore& store, int sum,
                   const Machine& machine);

}  // namespace tenon

#endif  // TENON_SCHEDULE_COST_H_
