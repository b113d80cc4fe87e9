#ifndef TENON_PLANNER_PROBLEM_BOXES_H_
#define TENON_PLANNER_PROBLEM_BOXES_H_

// Internal: very many buffers of one pool as rectangles, and what all heuristics for them need.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "planner/heuristics/skyline.h"
#include "planner/problem/life_spans.h"
#include "planner/problem/pair_rules.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// A buffer with all its bytes wherever it is live.
struct Box {
  int64_t size = 0;
  int64_t alignment = 1;
  /// From its first time to its last; empty for one that is never live.
  int32_t first = 0;
  int32_t end = 0;
  /// Ranks at which it is live.
  int32_t duration = 0;
};

/// Buffers that can be nowhere else but in one pool, without rules but those of their lives.
class Boxes {
 public:
  /// No member has a relation, but for those with fixed offsets; these are few and fit together;
  /// and all members on top of each other end before numbers do.
  static bool Suits(const Problem& problem, const PairRules& rules, int32_t pool,
                    const std::vector<int32_t>& members);

  Boxes(const Problem& problem, const PairRules& rules, int32_t pool,
        const std::vector<int32_t>& members);

  /// One for each member.
  const Box& At(int32_t i) const { return boxes_[Index(i)]; }
  size_t size() const { return boxes_.size(); }
  /// The stretches in which it is live, in order.
  std::span<const LifeSpan> Lives(int32_t i) const { return lives_.Of(i); }
  bool Meet(int32_t a, int32_t b) const;
  /// Those that are live at some time, and may be anywhere.
  const std::vector<int32_t>& live() const { return live_; }
  /// Those that are live and have a fixed offset, by their ends.
  const std::vector<int32_t>& fixed() const { return fixed_; }
  /// Ranks of times are below this.
  int32_t times() const { return lives_.times(); }
  /// The largest alignment of any.
  int64_t unit() const { return unit_; }

  /// The first aligned offset that is not below `ground`.
  int64_t OffsetFrom(int64_t ground, const Box& box) const {
    return AlignOffset(ground, box.alignment, base_offset_);
  }
  /// All at their least offsets, or at their fixed ones.
  const std::vector<int64_t>& OnTheGround() const { return ground_; }
  int64_t Peak(const std::vector<int64_t>& offsets) const;
  /// Pairs of stretches that meet, each from both sides; without fixed ones.
  int64_t Meetings() const;
  /// Each box lives once, and a large part of all pairs meet: looking at all that is placed, in
  /// order, costs less than finding and sorting what meets.
  bool IsCrowded() const;

  /// The live ones in order of `less`, ties as they came.
  template <typename Less>
  std::vector<int32_t> Sorted(Less less) const {
    std::vector<int32_t> order = live_;
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t a, int32_t b) { return less(At(a), At(b)); });
    return order;
  }
  std::vector<int32_t> ByOffset(const std::vector<int64_t>& offsets) const;

  /// Each on top of what came before it at its times, and of what is fixed. In order of the offsets
  /// of a plan without fixed ones none comes to lie higher than in that.
  std::vector<int64_t> Drop(const std::vector<int32_t>& order) const;
  /// The order by offset after all of a plan has risen to its peak, the topmost first.
  std::vector<int32_t> OrderAtCeiling(const std::vector<int64_t>& offsets) const;

 private:
  void Raise(Skyline* skyline, int32_t i, int64_t top) const;
  int64_t Highest(const Skyline& skyline, int32_t i) const;

  const int64_t base_offset_;
  const LifeSpans lives_;
  std::vector<Box> boxes_;
  // Of fixed ones.
  std::vector<int64_t> ground_;
  std::vector<int32_t> live_;
  std::vector<int32_t> fixed_;
  int64_t unit_ = 1;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_PROBLEM_BOXES_H_
