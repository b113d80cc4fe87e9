#ifndef TENON_PLANNER_HEURISTICS_PLACED_INDEX_H_
#define TENON_PLANNER_HEURISTICS_PLACED_INDEX_H_

// Internal: finds the placed buffers that may conflict with a new buffer.

#include <cstdint>
#include <vector>

#include "planner/problem/pair_rules.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// The order of all buffers' first and last times, cut into slots with equal numbers of ends. Built
/// once for a problem.
class TimeSlots {
 public:
  TimeSlots(const Problem& problem, const PairRules& rules);

  struct Span {
    int32_t first = 0;
    int32_t last = -1;
  };
  /// The slots that a buffer touches; empty if it is never live.
  Span Of(int32_t buffer) const { return spans_[Index(buffer)]; }
  int32_t count() const { return count_; }

 private:
  std::vector<Span> spans_;
  int32_t count_ = 1;
};

/// The buffers placed so far, by slot of time. Buffers that touch many slots are in a separate
/// list, so that adding one takes constant time and a lookup costs its result.
class PlacedIndex {
 public:
  PlacedIndex(const Problem& problem, const PairRules& rules, const TimeSlots& slots);

  void Clear();
  void Add(int32_t buffer);
  /// The placed buffers that share a slot or a relation with `buffer`, without duplicates; valid
  /// until the next call.
  const std::vector<int32_t>& Near(int32_t buffer);

 private:
  void Take(int32_t buffer);

  const PairRules& rules_;
  const TimeSlots& slots_;
  std::vector<std::vector<int32_t>> by_slot_;
  std::vector<int32_t> long_lived_;
  std::vector<bool> placed_;
  std::vector<uint64_t> seen_;
  uint64_t round_ = 0;
  std::vector<int32_t> near_;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_PLACED_INDEX_H_
