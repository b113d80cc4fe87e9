#ifndef TENON_PASSES_LOOPS_BLOCK_SCHEDULE_H_
#define TENON_PASSES_LOOPS_BLOCK_SCHEDULE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/computation.h"
#include "schedule/machine.h"
#include "schedule/schedule.h"

namespace tenon {

/// The lanes of a block, before its schedule is chosen.
struct BlockWishes {
  /// The loop of neighbouring lanes; -1: the innermost loop of neighbouring results.
  int row = -1;
  /// A loop outside of a row that is shorter than a vector: the lanes are whole rows, of several
  /// iterations of this loop. -1: they are elements of one row.
  int tile = -1;
  /// How products are added up at once whose constants lie side by side.
  Combine combine = Combine::kNothing;
  /// Sums whose pads are left out.
  std::vector<int> sums_without_pads = {};
};

/// The schedule of a store by which its sum is computed in blocks: several places and lanes
/// together, so that each loaded element goes into several sums. Nullopt if vectors cannot compute
/// the store. The store may be one that the computation does not list.
std::optional<Schedule> ScheduleBlock(const Computation& computation, const LinearIndex& element,
                                      int step, const std::vector<int>& loops,
                                      const BlockWishes& wishes, const Machine& machine);

/// The lanes of a block of the schedule: all iterations of its bands of lanes.
int64_t LanesOf(const Schedule& schedule);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_BLOCK_SCHEDULE_H_
