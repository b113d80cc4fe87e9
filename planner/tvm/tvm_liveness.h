#ifndef TENON_PLANNER_TVM_TVM_LIVENESS_H_
#define TENON_PLANNER_TVM_TVM_LIVENESS_H_

// Conflict lists as Apache TVM's static memory planner (USMP, v0.18) computes them. Its algorithms
// sort by the length of these lists, duplicates included, so they are kept as TVM has them.

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// The closed stretch of ticks [first, last] from a buffer's first to its last use within one call.
struct ClosedInterval {
  int32_t buffer = 0;
  int64_t first = 0;
  int64_t last = 0;
};

/// The most entries of all conflict lists: these alone take half a gigabyte.
inline constexpr int64_t kMaxConflictEntries = int64_t{1} << 27;

/// What TVM's liveness hands to its algorithms.
struct TvmLiveness {
  ConflictLists conflicts;
  /// Largest sum of the sizes of open buffers, constants included, alignment ignored.
  int64_t memory_pressure = 0;
};

/// Sweeps the ends of `intervals` in order of tick, starts before ends, and lists at each start the
/// buffers that are open: they conflict both ways, once for each such meeting. A buffer that starts
/// while open is listed once with itself. Afterwards a constant's list becomes all other constants,
/// and constants leave all other lists. Equal ticks are taken in the order of `intervals`.
///
/// `buffers` gives sizes and kinds. InvalidArgument: an interval that names no buffer or ends
/// before it begins. Unimplemented: more than 2^27 entries, or a pressure beyond 2^62.
absl::StatusOr<TvmLiveness> DeriveTvmConflicts(std::span<const Buffer> buffers,
                                               std::span<const ClosedInterval> intervals);

/// The same from the lifetimes of the buffers: [lower, upper) becomes [lower, upper - 1].
absl::StatusOr<TvmLiveness> DeriveTvmConflicts(std::span<const Buffer> buffers);

/// Which entries of a conflict list bind: those that both buffers list, or those that either does.
enum class OneSided : uint8_t { kIgnore, kConflict };

/// The kDisjoint relations that conflict lists state, for problems that have lists and no
/// lifetimes. Sorted by pair; a buffer that lists itself is left out.
std::vector<Relation> RelationsFromConflicts(const ConflictLists& conflicts, OneSided one_sided);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_TVM_TVM_LIVENESS_H_
