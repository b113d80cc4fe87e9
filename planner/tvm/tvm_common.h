#ifndef TENON_PLANNER_TVM_TVM_COMMON_H_
#define TENON_PLANNER_TVM_TVM_COMMON_H_

// Internal: what TVM's three algorithms share.

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
  /// TVM's lists: sort keys and hill_climb's neighbours.
  ConflictLists conflicts;
  /// TVM's lists followed by the conflicts that the lifetimes and relations add: what placement
  /// keeps apart. Where TVM's liveness is right, they add nothing.
  ConflictLists obstacles;
  int64_t memory_pressure = 0;
};

/// Completes the lists. Unimplemented: fixed offsets or relations that TVM's algorithms cannot
/// honour, naming `algorithm`. ResourceExhausted: too many conflicts for lists.
absl::StatusOr<TvmProblem> PrepareTvmProblem(const Problem& problem, std::string_view algorithm);

enum class TvmOrder : uint8_t { kBySize, kByConflicts };

/// Buffer numbers by (size, conflicts) or (conflicts, size), then name, all descending. `conflicts`
/// counts them for each buffer.
std::vector<int32_t> SortForTvm(const Problem& problem, const std::vector<int64_t>& conflicts,
                                TvmOrder order);
std::vector<int32_t> SortForTvm(const TvmProblem& tvm, TvmOrder order);

/// The pools of one buffer that may still take it, with the offset it would have there.
class OffsetTable {
 public:
  explicit OffsetTable(const Problem& problem) : problem_(problem) {}

  /// Starts over for `buffer`: each candidate pool that is large enough, at its first offset.
  void Reset(int32_t buffer);

  struct Row {
    int32_t pool;
    int64_t offset;
    bool present;
    /// Found to overlap an obstacle at the offset; never comes back.
    bool dead;
  };
  /// The row of a pool, or null if it is no candidate.
  Row* Find(int32_t pool);
  /// The first offset at or after the end of `obstacle`, placed at `offset`, that suits both.
  int64_t OffsetAfter(int32_t obstacle, int64_t offset, int32_t pool) const;
  /// The buffer at `offset` ends within the pool.
  bool Fits(int32_t pool, int64_t offset) const;
  /// The first candidate still present, or null.
  Row* Best();

 private:
  const Problem& problem_;
  const Buffer* buffer_ = nullptr;
  std::vector<Row> rows_;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_TVM_TVM_COMMON_H_
