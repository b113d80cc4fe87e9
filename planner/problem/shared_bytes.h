#ifndef TENON_PLANNER_PROBLEM_SHARED_BYTES_H_
#define TENON_PLANNER_PROBLEM_SHARED_BYTES_H_

#include <cstdint>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// The most bytes that the two buffers of `relation` can share in one pool, where both begin at
/// multiples of `alignment` and each takes its size, rounded up to `alignment`.
int64_t MostSharedBytes(const Problem& problem, const Relation& relation, int64_t alignment);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_PROBLEM_SHARED_BYTES_H_
