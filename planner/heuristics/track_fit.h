#ifndef TENON_PLANNER_HEURISTICS_TRACK_FIT_H_
#define TENON_PLANNER_HEURISTICS_TRACK_FIT_H_

// Internal: offsets for very many buffers in O(n log n) steps, whatever their lives are.

#include <cstdint>
#include <vector>

#include "planner/problem/boxes.h"

namespace tenon::planner {

/// Processes size classes, the largest first. Boxes go into free rectangles among the placed ones.
/// The rest goes to tracks of the height of the class, as few as the boxes that are live at once
/// (interval colouring by birth). (Boxes of similar sizes: Buchsbaum, Karloff, Kenyon, Reingold and
/// Thorup, "OPT versus LOAD in dynamic storage allocation", 2003.)
std::vector<int64_t> TrackFit(const Boxes& boxes);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_TRACK_FIT_H_
