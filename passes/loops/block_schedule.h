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
  /// A loop outside of a row that is shorter than a vector: the lanes are whole rows, for several
  /// iterations of this loop. -1: the lanes are elements of one row.
  int tile = -1;
  /// True if the sums along the row are added up alternately, without vectors.
  bool is_scalar = false;
  /// How products with adjacent constants are added up at once.
  Combine combine = Combine::kNothing;
  /// Sums whose padding is omitted.
  std::vector<int> sums_without_pads = {};
};

/// A schedule and its cost (schedule/cost.h).
struct BlockPlan {
  Schedule schedule;
  double cycles = 0;
};

/// The cheapest schedule of a store that computes its sum in blocks: several places and lanes
/// together, so that each loaded element is used in several sums. Nullopt if vectors cannot compute
/// the store.
std::optional<BlockPlan> ScheduleBlock(const Computation& computation,
                                       const ComputationStore& store, const BlockWishes& wishes,
                                       const Machine& machine);

/// The lanes of a block of the schedule: all iterations of its bands of lanes.
int64_t LanesOf(const Schedule& schedule);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_BLOCK_SCHEDULE_H_
