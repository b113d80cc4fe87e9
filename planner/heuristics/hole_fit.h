#ifndef TENON_PLANNER_HEURISTICS_HOLE_FIT_H_
#define TENON_PLANNER_HEURISTICS_HOLE_FIT_H_

// Internal: offsets for very many buffers of which few are live together.

#include <cstdint>
#include <vector>

#include "planner/problem/boxes.h"

namespace tenon::planner {

/// Each box, in order, into the lowest hole that the ones before it leave at its times: first-fit
/// as GapPlacer does it, for boxes alone. Takes as many steps as there are meetings. `fixed` is
/// empty, or has the offset that a box must get, -1 for none; those fit together, and come first.
std::vector<int64_t> HoleFit(const Boxes& boxes, const std::vector<int32_t>& order,
                             const std::vector<int64_t>& fixed = {});

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_HOLE_FIT_H_
