#ifndef TENON_PLANNER_EXPLAIN_SPILL_H_
#define TENON_PLANNER_EXPLAIN_SPILL_H_

#include <cstdint>
#include <vector>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// The buffers of a plan that are not in their best pool: the candidate that costs least if all
/// pools have room (PlanCost).
struct Spill {
  /// The buffers that one pool had no room for and another one took.
  struct Move {
    int32_t from = 0;
    int32_t to = 0;
    int64_t buffers = 0;
    int64_t bytes = 0;
  };
  /// Sorted by pools; empty if every buffer is in its best pool.
  std::vector<Move> moves;
  /// No plan spills fewer bytes. The sum of the buffers that are larger than their best pool, and
  /// of the least bytes that must leave each pool at the time of its lower bound.
  int64_t bound_bytes = 0;

  int64_t buffers() const;
  int64_t bytes() const;
};

Spill SpillOf(const Problem& problem, const Plan& plan);

/// CostGapPercent in millionths of the bound, rounded up; -1 without a bound.
int64_t CostGapMillionths(const PlanCost& cost);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXPLAIN_SPILL_H_
