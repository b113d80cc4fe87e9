#ifndef TENON_PLANNER_PROBLEM_LIFE_SPANS_H_
#define TENON_PLANNER_PROBLEM_LIFE_SPANS_H_

// Internal: when very many buffers are live, as ranks on one clock.

#include <cstdint>
#include <span>
#include <vector>

#include "planner/problem/pair_rules.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// A stretch of time, half-open, in ranks.
struct LifeSpan {
  int32_t first = 0;
  int32_t end = 0;

  bool Meets(const LifeSpan& other) const { return first < other.end && other.first < end; }
};

/// For each of the members the stretches in which it uses any of its bytes, in order. Each group
/// has ranks of its own, one group's behind the other's: what is live in several groups has as many
/// stretches, and what never lives together never meets. Where that were more than 2^24 stretches,
/// all count as one group.
class LifeSpans {
 public:
  LifeSpans(const Problem& problem, const PairRules& rules, const std::vector<int32_t>& members);

  std::span<const LifeSpan> Of(int32_t member) const {
    const uint32_t begin = first_[Index(member)];
    return std::span(spans_).subspan(begin, first_[Index(member) + 1] - begin);
  }
  /// Ranks are below this.
  int32_t times() const { return times_; }

 private:
  std::vector<LifeSpan> spans_;
  std::vector<uint32_t> first_;
  int32_t times_ = 0;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_PROBLEM_LIFE_SPANS_H_
