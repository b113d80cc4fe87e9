#ifndef TENON_PLANNER_PROBLEM_ACCESS_COST_H_
#define TENON_PLANNER_PROBLEM_ACCESS_COST_H_

// Internal: the costs of placing buffers in their candidate pools.

#include <compare>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// A figure of PoolCost without which it is unknown what accesses cost.
enum class CostFigure : uint8_t { kClock, kReadWidth, kWriteWidth };

/// The figures that a pool lacks for the accesses of a buffer. Constants need no figures of writes.
std::vector<CostFigure> MissingFigures(const Buffer& buffer, const PoolCost& cost);

/// The cost of a choice of pools; time is compared first. Sums saturate at INT64_MAX.
struct Price {
  int64_t picoseconds = 0;
  /// The sum of each buffer's bytes times its pool's index in the buffer's list of candidates.
  int64_t spilled = 0;

  auto operator<=>(const Price&) const = default;
  Price& operator+=(const Price& other);
};

/// The prices of all buffers in their candidate pools.
class AccessCosts {
 public:
  explicit AccessCosts(const Problem& problem);

  struct Choice {
    int32_t pool = 0;
    Price price;
  };
  using Choices = absl::InlinedVector<Choice, 1>;
  /// The candidates that are large enough, cheapest first.
  const Choices& ChoicesOf(int32_t buffer) const { return choices_[Index(buffer)]; }
  /// The price of a candidate.
  Price Of(int32_t buffer, int32_t pool) const;
  /// The price difference of the two cheapest choices; zero with a single choice.
  Price Regret(int32_t buffer) const;
  /// True if a buffer has several choices.
  bool any_choice() const { return any_choice_; }
  /// The sum of the cheapest choices: no plan is cheaper.
  Price Least() const;

 private:
  std::vector<Choices> choices_;
  bool any_choice_ = false;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_PROBLEM_ACCESS_COST_H_
