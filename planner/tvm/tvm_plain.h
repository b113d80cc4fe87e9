#ifndef TENON_PLANNER_TVM_TVM_PLAIN_H_
#define TENON_PLANNER_TVM_TVM_PLAIN_H_

// Internal: TVM's algorithms without conflict lists, for problems that lifetimes fully describe.

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/problem/life_spans.h"
#include "planner/problem/problem.h"
#include "planner/tvm/tvm_common.h"

namespace tenon::planner {

/// A problem with one pool in which each buffer lives at most once and no other rule holds. The
/// results of TVM's algorithms then follow from the lifetimes, without a list of all overlapping
/// pairs.
class PlainTvm {
 public:
  /// Nullopt if the problem is not of that kind, or if its sizes are too large together.
  static std::optional<PlainTvm> Make(const Problem& problem);

  /// The offsets of greedy_by_size and greedy_by_conflicts, in O(n log n) steps. Each buffer goes
  /// above all buffers that it overlaps in time. Nullopt if the pool is too small: TVM's lists then
  /// decide.
  std::optional<std::vector<Placement>> PlaceAbove(TvmOrder order) const;

  /// The offsets of hill_climb's first attempt: each buffer goes into the lowest hole. Nullopt in
  /// the same case.
  std::optional<std::vector<Placement>> PlaceInHoles() const;

  /// The number of entries of all TVM conflict lists together.
  int64_t entries() const { return entries_; }
  /// True if so many pairs overlap in time that PlaceInHoles pays.
  bool is_dense() const;

 private:
  explicit PlainTvm(const Problem& problem) : problem_(&problem) {}
  bool Rank();
  void CountConflicts();
  int64_t OffsetFrom(int64_t ground, int32_t buffer) const;
  int64_t Top(int32_t buffer, int64_t offset) const;
  bool Fits(int32_t buffer, int64_t offset) const;

  const Problem* problem_;
  // Empty for a buffer that is never live.
  std::vector<LifeSpan> lives_;
  std::vector<int64_t> conflicts_;
  int64_t entries_ = 0;
  int32_t times_ = 0;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_TVM_TVM_PLAIN_H_
