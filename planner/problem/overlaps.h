#ifndef TENON_PLANNER_PROBLEM_OVERLAPS_H_
#define TENON_PLANNER_PROBLEM_OVERLAPS_H_

// Internal: the pairs of buffers that conflict.

#include "absl/status/statusor.h"
#include "planner/problem/pair_rules.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// For each buffer, the buffers that forbid it some difference of offsets, ascending and without
/// duplicates. Unimplemented: more than 2^27 entries.
absl::StatusOr<ConflictLists> ConflictingPairs(const Problem& problem, const PairRules& rules);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_PROBLEM_OVERLAPS_H_
