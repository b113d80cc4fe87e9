#ifndef TENON_PLANNER_TVM_TVM_COMMON_H_
#define TENON_PLANNER_TVM_TVM_COMMON_H_

// Internal: code that TVM's three algorithms share.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// A problem as TVM's algorithms see it.
struct TvmProblem {
  const Problem* problem = nullptr;
  /// TVM's lists, used as sort keys and as hill_climb's neighbours.
  ConflictLists conflicts;
  /// TVM's lists followed by the conflicts that the lifetimes and relations add. Placement keeps
  /// these pairs apart. Where TVM's liveness is right, nothing is added.
  ConflictLists obstacles;
  int64_t memory_pressure = 0;
};

/// Completes the lists. Unimplemented: fixed offsets or relations that TVM's algorithms cannot
/// honour; the message names `algorithm`. ResourceExhausted: too many conflicts for lists.
absl::StatusOr<TvmProblem> PrepareTvmProblem(const Problem& problem, std::string_view algorithm);

enum class TvmOrder : uint8_t { kBySize, kByConflicts };

/// Buffer numbers by (size, conflicts) or (conflicts, size), then name, all descending. `conflicts`
/// has the number of conflicts of each buffer.
std::vector<int32_t> SortForTvm(const Problem& problem, const std::vector<int64_t>& conflicts,
                                TvmOrder order);
std::vector<int32_t> SortForTvm(const TvmProblem& tvm, TvmOrder order);

/// The pools that can still take one buffer, with the buffer's offset in each.
class OffsetTable {
 public:
  explicit OffsetTable(const Problem& problem) : problem_(problem) {}

  /// Starts over for `buffer`, with each candidate pool that is large enough, at its first offset.
  void Reset(int32_t buffer);

  struct Row {
    int32_t pool;
    int64_t offset;
    bool present;
    /// The offset was found to overlap an obstacle; the row stays dead.
    bool dead;
  };
  /// The row of a pool, or null if the pool is not a candidate.
  Row* Find(int32_t pool);
  /// The first offset at or after the end of `obstacle`, placed at `offset`, that is aligned for
  /// both.
  int64_t OffsetAfter(int32_t obstacle, int64_t offset, int32_t pool) const;
  /// True if the buffer at `offset` ends within the pool.
  bool Fits(int32_t pool, int64_t offset) const;
  /// The first remaining candidate, or null.
  Row* Best();

 private:
  const Problem& problem_;
  const Buffer* buffer_ = nullptr;
  std::vector<Row> rows_;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_TVM_TVM_COMMON_H_
