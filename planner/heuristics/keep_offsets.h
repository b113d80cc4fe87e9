#ifndef TENON_PLANNER_HEURISTICS_KEEP_OFFSETS_H_
#define TENON_PLANNER_HEURISTICS_KEEP_OFFSETS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// For each buffer of a problem its place in an earlier plan, or nullopt for a new buffer. Places
/// that the problem does not allow count as moved.
using PreviousPlacements = std::vector<std::optional<Placement>>;

/// Compares a plan with an earlier one.
struct KeptOffsets {
  int64_t kept = 0;
  int64_t moved = 0;
  int64_t added = 0;
  int64_t kept_bytes = 0;
  int64_t moved_bytes = 0;
  bool operator==(const KeptOffsets&) const = default;
};

/// Counts the buffers that did not move.
KeptOffsets CountKept(const Problem& problem, const Plan& plan, const PreviousPlacements& previous);

/// Moves buffers of `plan` back to their previous places, as long as no pool grows. The certificate
/// stays the same: sizes, bounds and witnesses do not change. The result is `plan` itself or has
/// passed CheckPlan.
///
/// A greedy choice of compatible previous places, the largest buffers first, is fixed. The other
/// buffers are placed around it within the sizes of `plan` (GapPlacer, several orders). A buffer
/// without room makes its neighbours give way. After some rounds the largest part of the choice
/// that leaves room is looked for. `plan` itself is returned if it keeps more bytes. Deterministic;
/// takes at most `work_limit` steps.
Plan KeepOffsets(const Problem& problem, const Plan& plan, const PreviousPlacements& previous,
                 int64_t work_limit);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_KEEP_OFFSETS_H_
