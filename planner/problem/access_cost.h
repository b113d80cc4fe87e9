#ifndef TENON_PLANNER_PROBLEM_ACCESS_COST_H_
#define TENON_PLANNER_PROBLEM_ACCESS_COST_H_

// Internal: which pool is the better place for a buffer.

#include <compare>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// What it costs to have buffers in pools; time counts first. Sums stop at INT64_MAX.
struct Price {
  int64_t picoseconds = 0;
  /// Bytes times the places that their pools are down the lists of candidates.
  int64_t spilled = 0;

  auto operator<=>(const Price&) const = default;
  Price& operator+=(const Price& other);
};

/// The prices of all buffers in the pools that they can be in.
class AccessCosts {
 public:
  explicit AccessCosts(const Problem& problem);

  struct Choice {
    int32_t pool = 0;
    Price price;
  };
  using Choices = absl::InlinedVector<Choice, 1>;
  /// The candidates that are large enough, the cheapest first.
  const Choices& ChoicesOf(int32_t buffer) const { return choices_[Index(buffer)]; }
  /// The price of a candidate.
  Price Of(int32_t buffer, int32_t pool) const;
  /// What the second choice costs more than the first; nothing without one.
  Price Regret(int32_t buffer) const;
  /// Some buffer has several choices.
  bool any_choice() const { return any_choice_; }
  /// The sum of all first choices: no plan is cheaper.
  Price Least() const;

 private:
  std::vector<Choices> choices_;
  bool any_choice_ = false;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_PROBLEM_ACCESS_COST_H_
