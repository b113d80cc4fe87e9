#ifndef TENON_SCHEDULE_COST_H_
#define TENON_SCHEDULE_COST_H_

#include <cstdint>

#include "analysis/computation.h"
#include "schedule/machine.h"
#include "schedule/schedule.h"

// A model of the time that loops take, for comparing schedules. Only the order of two costs is
// meaningful; a cost does not predict a time.

namespace tenon {

/// The time of a store of one sum with a legal schedule, in cycles. A step of a block takes as long
/// as its arithmetic, its loads, or the wait for its sums.
double CyclesOf(const Computation& computation, const ComputationStore& store,
                const Schedule& schedule, const Machine& machine);

/// The time of a store of elements that are computed one by one, as for a copy in another order.
/// Constants are copied at compile time, so their copies take no time.
double CyclesOfCopy(const Computation& computation, const ComputationStore& store,
                    const Machine& machine);

/// The time of a store without sums in the order of its loops, on vectors if elements are adjacent
/// along the innermost loop.
double CyclesOfElements(const Computation& computation, const ComputationStore& store,
                        const Machine& machine);

/// The same in tiles of the two innermost loops that are transposed in registers (transpose-tiles);
/// infinity if they cannot be.
double CyclesOfTiles(const Computation& computation, const ComputationStore& store,
                     const Machine& machine);

/// The time of a sum whose results are computed one by one. Sums of integers are added up in lanes
/// along a loop in which all elements are adjacent, if there is one. The order of the store's loops
/// determines which cache lines are used one after the other.
double CyclesOfSum(const Computation& computation, const ComputationStore& store, int sum,
                   const Machine& machine);

}  // namespace tenon

#endif  // TENON_SCHEDULE_COST_H_
