#ifndef TENON_PLANNER_CHECK_WITNESS_CHECKER_H_
#define TENON_PLANNER_CHECK_WITNESS_CHECKER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// Part of the checker. Returns why the witness of `bound` does not prove that pool number `pool`
/// needs exactly `bound.bytes`; empty if the witness does. The bytes are recomputed from the
/// problem; the placements only tell whether buffers with other candidates are in this pool. The
/// search of a BoundKind::kSearch bound is repeated. If that takes too long, `on_trust` is
/// incremented.
std::string RefuseWitness(const Problem& problem, const std::vector<Placement>& placements,
                          int32_t pool, const LowerBound& bound, int32_t* on_trust);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_CHECK_WITNESS_CHECKER_H_
