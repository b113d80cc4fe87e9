#ifndef TENON_PLANNER_TVM_TVM_PLAIN_H_
#define TENON_PLANNER_TVM_TVM_PLAIN_H_

// Internal: TVM's algorithms without lists of conflicts, for problems where lives say everything.

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/problem/life_spans.h"
#include "planner/problem/problem.h"
#include "planner/tvm/tvm_common.h"

namespace tenon::planner {

/// A problem of one pool, in which each buffer lives at most once and no other rule holds. What
/// TVM's algorithms find there follows from the lives, without a list of all pairs that meet.
class PlainTvm {
 public:
  /// Nothing: the problem is not of that kind, or its sizes are too large together.
  static std::optional<PlainTvm> Make(const Problem& problem);

  /// The offsets that greedy_by_size and greedy_by_conflicts give, in n log n steps: each buffer
  /// goes above all that it meets. Nothing: the pool is too small, and TVM's lists decide.
  std::optional<std::vector<Placement>> PlaceAbove(TvmOrder order) const;

  /// The offsets of hill_climb's first attempt: each buffer goes into the lowest hole. Nothing: as
  /// above.
  std::optional<std::vector<Placement>> PlaceInHoles() const;

  /// Entries of all of TVM's lists together.
  int64_t entries() const { return entries_; }
  /// One pair in so many meets: PlaceInHoles is worth its while.
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
