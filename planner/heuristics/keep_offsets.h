#ifndef TENON_PLANNER_HEURISTICS_KEEP_OFFSETS_H_
#define TENON_PLANNER_HEURISTICS_KEEP_OFFSETS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// For each buffer of a problem where it was in an earlier plan, or nothing for one that is new.
/// Places that the problem does not allow count as moved.
using PreviousPlacements = std::vector<std::optional<Placement>>;

/// How a plan compares with an earlier one.
struct KeptOffsets {
  int64_t kept = 0;
  int64_t moved = 0;
  int64_t added = 0;
  int64_t kept_bytes = 0;
  int64_t moved_bytes = 0;
  bool operator==(const KeptOffsets&) const = default;
};

/// Counts the buffers that are where they were.
KeptOffsets CountKept(const Problem& problem, const Plan& plan, const PreviousPlacements& previous);

/// Moves buffers of `plan` back to where they were, as far as no pool becomes larger for it. The
/// certificate stays what it is: sizes, bounds and witnesses are unchanged, and the result has
/// passed CheckPlan, or it is `plan`.
///
/// A greedy choice of old places that agree with each other, the largest buffers first, is fixed;
/// the others are placed around it within the sizes of `plan` (GapPlacer, several orders). What
/// finds no room makes its neighbours give way, and after some rounds the largest part of the
/// choice that leaves room is looked for. `plan` itself is kept if it keeps more bytes.
/// Deterministic; at most `work_limit` steps.
Plan KeepOffsets(const Problem& problem, const Plan& plan, const PreviousPlacements& previous,
                 int64_t work_limit);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_KEEP_OFFSETS_H_
