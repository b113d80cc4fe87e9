#ifndef TENON_PLANNER_PROBLEM_LIFE_SPANS_H_
#define TENON_PLANNER_PROBLEM_LIFE_SPANS_H_

// Internal: the lifetimes of very many buffers, as ranks on one clock.

#include <cstdint>
#include <span>
#include <vector>

#include "planner/problem/pair_rules.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// A half-open interval of time, in ranks.
struct LifeSpan {
  int32_t first = 0;
  int32_t end = 0;

  bool Meets(const LifeSpan& other) const { return first < other.end && other.first < end; }
};

/// The intervals in which each member uses any of its bytes, in order. The ranks of each group
/// follow those of the group before it. A member of several groups has intervals in each, and
/// buffers of different groups never overlap. If that gave more than 2^24 intervals, all groups
/// count as one.
class LifeSpans {
 public:
  LifeSpans(const Problem& problem, const PairRules& rules, const std::vector<int32_t>& members);

  std::span<const LifeSpan> Of(int32_t member) const {
    const uint32_t begin = first_[Index(member)];
    return std::span(spans_).subspan(begin, first_[Index(member) + 1] - begin);
  }
  /// The number of ranks.
  int32_t times() const { return times_; }

 private:
  std::vector<LifeSpan> spans_;
  std::vector<uint32_t> first_;
  int32_t times_ = 0;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_PROBLEM_LIFE_SPANS_H_
