#ifndef TENON_PLANNER_PROBLEM_BOUND_H_
#define TENON_PLANNER_PROBLEM_BOUND_H_

#include <vector>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// A lower bound for the size of every pool, each the largest found of
/// - the bytes in use at one time by buffers that fit into no other pool. If all of them use all
///   their bytes, the first begins at a multiple of the smallest alignment A among them and each
///   but the topmost fills a multiple of A, so the bound is the first such offset and the sum of
///   the rounded sizes less the largest rounding;
/// - the same for a set of buffers that conflict pair by pair without a common time (problems with
///   kDisjoint relations or several lifetimes a buffer; a greedy search for heavy cliques).
/// At one time, what two buffers can share by a relation is subtracted, or the smaller of them is
/// left out; a set without a common time has no such pairs. A bound beyond 2^63 - 1 is given as
/// that.
std::vector<LowerBound> ComputeLowerBounds(const Problem& problem);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_PROBLEM_BOUND_H_
