#ifndef TENON_PLANNER_TVM_TVM_LIVENESS_H_
#define TENON_PLANNER_TVM_TVM_LIVENESS_H_

// Conflict lists as Apache TVM's static memory planner (USMP, v0.18) computes them. TVM's
// algorithms sort by the length of these lists, duplicates included, so the lists are reproduced
// exactly.

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// The closed interval of ticks [first, last] from a buffer's first to its last use within one
/// call.
struct ClosedInterval {
  int32_t buffer = 0;
  int64_t first = 0;
  int64_t last = 0;
};

/// The limit on the entries of all conflict lists together: half a gigabyte.
inline constexpr int64_t kMaxConflictEntries = int64_t{1} << 27;

/// The input of TVM's algorithms from its liveness analysis.
struct TvmLiveness {
  ConflictLists conflicts;
  /// The largest sum of the sizes of open buffers, with constants, ignoring alignment.
  int64_t memory_pressure = 0;
};

/// Sweeps the ends of `intervals` in order of tick, starts before ends. Each start lists the
/// buffers that are open: they conflict in both directions, once for each such start. A buffer that
/// starts while it is open is listed once with itself. Finally a constant's list becomes all other
/// constants, and constants leave all other lists. Equal ticks keep the order of `intervals`.
///
/// `buffers` gives sizes and kinds. InvalidArgument: an interval without a buffer, or one that ends
/// before it begins. Unimplemented: more than 2^27 entries, or a pressure over 2^62.
absl::StatusOr<TvmLiveness> DeriveTvmConflicts(std::span<const Buffer> buffers,
                                               std::span<const ClosedInterval> intervals);

/// Derives the intervals from the lifetimes of the buffers:
/// [lower, upper) becomes [lower, upper - 1].
absl::StatusOr<TvmLiveness> DeriveTvmConflicts(std::span<const Buffer> buffers);

/// Whether an entry that only one buffer of a pair lists is a conflict.
enum class OneSided : uint8_t { kIgnore, kConflict };

/// The kDisjoint relations that conflict lists imply, for problems with lists and without
/// lifetimes. Sorted by pair; entries of a buffer in its own list are left out.
std::vector<Relation> RelationsFromConflicts(const ConflictLists& conflicts, OneSided one_sided);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_TVM_TVM_LIVENESS_H_
