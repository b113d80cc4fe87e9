#ifndef TENON_PLANNER_PROBLEM_BOUND_H_
#define TENON_PLANNER_PROBLEM_BOUND_H_

#include <vector>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// Computes a lower bound for the size of every pool, the largest of
/// - the bytes that buffers which fit into no other pool use at the same time. If each of them uses
///   all its bytes, let A be the smallest of their alignments. The lowest buffer begins at a
///   multiple of A, and every buffer but the topmost fills a multiple of A. The bound is the first
///   such offset, plus the sizes rounded up to A, minus the largest rounding;
/// - the same sum for a set of buffers that conflict pairwise without a common time (problems with
///   kDisjoint relations or several lifetimes per buffer; a greedy search finds heavy cliques).
/// For the first kind, the bytes that two buffers can share by a relation are subtracted, or the
/// smaller buffer is left out. The second kind has no such pairs. Bounds saturate at INT64_MAX.
std::vector<LowerBound> ComputeLowerBounds(const Problem& problem);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_PROBLEM_BOUND_H_
