#ifndef TENON_PLANNER_HEURISTICS_TRACK_FIT_H_
#define TENON_PLANNER_HEURISTICS_TRACK_FIT_H_

// Internal: offsets for very many buffers in n log n steps, whatever their lives are.

#include <cstdint>
#include <vector>

#include "planner/problem/boxes.h"

namespace tenon::planner {

/// Size class by size class, the largest first, boxes go into free rectangles among those placed;
/// what finds none is put on tracks of the height of the class, as few as are live at once
/// (colouring of intervals by birth). (Boxes of like sizes: Buchsbaum, Karloff, Kenyon, Reingold
/// and Thorup, "OPT versus LOAD in dynamic storage allocation", 2003.)
std::vector<int64_t> TrackFit(const Boxes& boxes);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_TRACK_FIT_H_
