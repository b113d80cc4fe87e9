#ifndef TENON_PLANNER_EXPLAIN_H_
#define TENON_PLANNER_EXPLAIN_H_

// Internal: what to say when a problem does not fit.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "planner/problem.h"

namespace tenon::planner {

/// ResourceExhausted if a buffer is larger than all its pools, or a pool smaller than its bound.
absl::Status RefuseInfeasible(const Problem& problem, const std::vector<LowerBound>& bounds);

/// ResourceExhausted: the pool is smaller than `bound`.
absl::Status RefusePool(const Problem& problem, int32_t pool, const LowerBound& bound);

/// The problem with the capacity lifted from every pool that is the last candidate of a buffer.
Problem WithoutLastLimits(const Problem& problem);

/// That `algorithm` saw no room for `buffer`; `needed` are the pools of a plan without those
/// limits, or nothing.
std::string DescribeNoRoom(const Problem& problem, std::string_view algorithm, int32_t buffer,
                           const std::vector<LowerBound>& bounds,
                           const std::vector<PoolPlan>& needed);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXPLAIN_H_
