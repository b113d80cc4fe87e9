#ifndef TENON_PLANNER_CHECK_CHECKER_H_
#define TENON_PLANNER_CHECK_CHECKER_H_

// The judge of plans. It shares nothing with the planners but the types of problem.h, so that one
// mistake cannot hide another.

#include <cstdint>
#include <string>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// The first thing found wrong with a plan, in this order of looking.
enum class PlanFault : uint8_t {
  kNone,
  kProblem,      // the problem itself is not valid
  kCounts,       // not one placement a buffer and one entry a pool
  kPool,         // no pool of the problem
  kCandidate,    // a pool that is not among the buffer's candidates
  kOffset,       // negative
  kAlignment,    // the address is no multiple of the effective alignment
  kCapacity,     // ends beyond the pool
  kFixedOffset,  // not where it must be
  kOverlap,      // two buffers use a byte at one time
  kDisjoint,     // a kDisjoint relation is broken
  kDifference,   // a kOffsetDifference relation is broken
  kSamePool,     // two buffers that must share a pool do not
  kPoolSize,     // not the largest end of its buffers
  kWitness,      // the live set does not show the lower bound
  kBound,        // the lower bound is larger than the pool
  kCost,         // the cost is not that of the pools chosen, or is no more than any plan's
  kOptimality,   // proven_optimal is not what sizes and bounds say
};

/// What the checker found. `buffer`, `other` and `pool` are numbers of those concerned, or -1.
struct PlanVerdict {
  PlanFault fault = PlanFault::kNone;
  int32_t buffer = -1;
  int32_t other = -1;
  int32_t pool = -1;
  /// Names buffers, pools and bytes; empty for a plan without fault.
  std::string message;
  /// Claims that come from a search that the checker could not repeat in the steps it takes: bounds
  /// of pools, and that no choice of pools costs less.
  int32_t on_trust = 0;

  bool ok() const { return fault == PlanFault::kNone; }
};

/// Judges placements, pool sizes, bounds with their witnesses, and the claim of optimality.
PlanVerdict CheckPlan(const Problem& problem, const Plan& plan);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_CHECK_CHECKER_H_
