#ifndef TENON_PLANNER_HEURISTICS_HOLE_FIT_H_
#define TENON_PLANNER_HEURISTICS_HOLE_FIT_H_

// Internal: offsets for very many buffers, few of which are live together.

#include <cstdint>
#include <vector>

#include "planner/problem/boxes.h"

namespace tenon::planner {

/// Puts each box, in order, into the lowest hole that the earlier boxes leave at its times. This is
/// GapPlacer's first-fit, for boxes only. Takes one step per pair that overlaps in time. `fixed` is
/// empty, or has the required offset of each box, or -1; fixed boxes fit together and come first.
std::vector<int64_t> HoleFit(const Boxes& boxes, const std::vector<int32_t>& order,
                             const std::vector<int64_t>& fixed = {});

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_HOLE_FIT_H_
