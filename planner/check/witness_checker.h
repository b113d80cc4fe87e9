#ifndef TENON_PLANNER_CHECK_WITNESS_CHECKER_H_
#define TENON_PLANNER_CHECK_WITNESS_CHECKER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// Why the witness of `bound` does not show that pool number `pool` needs exactly `bound.bytes`;
/// empty if it does. Part of the checker: it recomputes the bytes from the problem; the
/// placements tell only whether buffers are here that could be elsewhere.
/// The search behind a bound of BoundKind::kSearch is repeated; if that takes too long, the bound
/// is taken on trust, which is counted in `on_trust`.
std::string RefuseWitness(const Problem& problem, const std::vector<Placement>& placements,
                          int32_t pool, const LowerBound& bound, int32_t* on_trust);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_CHECK_WITNESS_CHECKER_H_
