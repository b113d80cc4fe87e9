#ifndef TENON_PLANNER_CHECK_CHECKER_H_
#define TENON_PLANNER_CHECK_CHECKER_H_

// The checker of plans. It shares only the types of problem.h with the planners, so that one
// mistake cannot hide another.

#include <cstdint>
#include <string>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// The first fault found in a plan; the checks run in this order.
enum class PlanFault : uint8_t {
  kNone,
  kProblem,      // the problem itself is not valid
  kCounts,       // not exactly one placement per buffer and one entry per pool
  kPool,         // the problem does not have the pool
  kCandidate,    // a pool that is not among the buffer's candidates
  kOffset,       // negative
  kAlignment,    // the address is not a multiple of the effective alignment
  kCapacity,     // ends beyond the pool
  kFixedOffset,  // not where it must be
  kOverlap,      // two buffers use a byte at the same time
  kDisjoint,     // a kDisjoint relation is broken
  kDifference,   // a kOffsetDifference relation is broken
  kSamePool,     // two buffers that must share a pool do not
  kPoolSize,     // not the largest end of the pool's buffers
  kWitness,      // the live set does not show the lower bound
  kBound,        // the lower bound is larger than the pool
  kCost,         // the cost does not match the chosen pools, or is least but not marked so
  kOptimality,   // proven_optimal contradicts the sizes and bounds
};

/// The checker's result. `buffer`, `other` and `pool` number the items involved, or are -1.
struct PlanVerdict {
  PlanFault fault = PlanFault::kNone;
  int32_t buffer = -1;
  int32_t other = -1;
  int32_t pool = -1;
  /// Names buffers, pools and bytes; empty for a correct plan.
  std::string message;
  /// The number of claims that rest on a search too long for the checker to repeat: bounds of
  /// pools, and the claim that no choice of pools costs less.
  int32_t on_trust = 0;

  bool ok() const { return fault == PlanFault::kNone; }
};

/// Checks placements, pool sizes, bounds with their witnesses, and the claim of optimality.
PlanVerdict CheckPlan(const Problem& problem, const Plan& plan);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_CHECK_CHECKER_H_
