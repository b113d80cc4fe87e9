#ifndef TENON_PLANNER_PROBLEM_BOXES_H_
#define TENON_PLANNER_PROBLEM_BOXES_H_

// Internal: very many buffers of one pool as rectangles, with operations that all heuristics share.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "planner/heuristics/skyline.h"
#include "planner/problem/life_spans.h"
#include "planner/problem/pair_rules.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// A buffer that uses all its bytes whenever it is live.
struct Box {
  int64_t size = 0;
  int64_t alignment = 1;
  /// From the first time to the last; empty for a box that is never live.
  int32_t first = 0;
  int32_t end = 0;
  /// The number of ranks at which the box is live.
  int32_t duration = 0;
};

/// Buffers whose only candidate is one pool and whose only constraints are their lifetimes.
class Boxes {
 public:
  /// True if only members with fixed offsets have relations, if those members are few and fit
  /// together, and if the sum of all sizes cannot overflow.
  static bool Suits(const Problem& problem, const PairRules& rules, int32_t pool,
                    const std::vector<int32_t>& members);

  Boxes(const Problem& problem, const PairRules& rules, int32_t pool,
        const std::vector<int32_t>& members);

  /// One box for each member.
  const Box& At(int32_t i) const { return boxes_[Index(i)]; }
  size_t size() const { return boxes_.size(); }
  /// The intervals in which the box is live, in order.
  std::span<const LifeSpan> Lives(int32_t i) const { return lives_.Of(i); }
  bool Meet(int32_t a, int32_t b) const;
  /// Boxes that are live at some time and have no fixed offset.
  const std::vector<int32_t>& live() const { return live_; }
  /// Live boxes that have a fixed offset, by their ends.
  const std::vector<int32_t>& fixed() const { return fixed_; }
  /// The number of ranks of time.
  int32_t times() const { return lives_.times(); }
  /// The largest alignment of a box.
  int64_t unit() const { return unit_; }

  /// The first aligned offset at or above `ground`.
  int64_t OffsetFrom(int64_t ground, const Box& box) const {
    return AlignOffset(ground, box.alignment, base_offset_);
  }
  /// The least offset of every box, or its fixed offset.
  const std::vector<int64_t>& OnTheGround() const { return ground_; }
  int64_t Peak(const std::vector<int64_t>& offsets) const;
  /// Pairs of live intervals that overlap in time, each counted from both sides; skips fixed boxes.
  int64_t Meetings() const;
  /// True if each box lives once and a large part of all pairs overlap in time. Then scanning all
  /// placed boxes in order costs less than finding and sorting the overlapping ones.
  bool IsCrowded() const;

  /// The live boxes in order of `less`; ties keep their order.
  template <typename Less>
  std::vector<int32_t> Sorted(Less less) const {
    std::vector<int32_t> order = live_;
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t a, int32_t b) { return less(At(a), At(b)); });
    return order;
  }
  std::vector<int32_t> ByOffset(const std::vector<int64_t>& offsets) const;

  /// Puts each box on top of the earlier and the fixed boxes that overlap it in time. In order of
  /// the offsets of a plan without fixed boxes, no box ends up higher than in that plan.
  std::vector<int64_t> Drop(const std::vector<int32_t>& order) const;
  /// The order by offset after all boxes of a plan have risen to its peak, topmost first.
  std::vector<int32_t> OrderAtCeiling(const std::vector<int64_t>& offsets) const;

 private:
  void Raise(Skyline* skyline, int32_t i, int64_t top) const;
  int64_t Highest(const Skyline& skyline, int32_t i) const;

  const int64_t base_offset_;
  const LifeSpans lives_;
  std::vector<Box> boxes_;
  // The offsets of boxes with a fixed offset, and the least offsets of the others.
  std::vector<int64_t> ground_;
  std::vector<int32_t> live_;
  std::vector<int32_t> fixed_;
  int64_t unit_ = 1;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_PROBLEM_BOXES_H_
