#ifndef TENON_PLANNER_CHECK_OVERLAP_CHECKER_H_
#define TENON_PLANNER_CHECK_OVERLAP_CHECKER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// Two buffers that use one byte of a pool at one time, and may not.
struct OverlapFound {
  int32_t first = -1;
  int32_t second = -1;
  int64_t byte = 0;
  int64_t time = 0;
};

/// The first pair, in order of time, of buffers that overlap without leave of a relation or of
/// their groups; pairs with a relation are not looked at. Part of the checker. Needs placements in
/// pools that exist, with ends below kMaxBytes. In n log n for buffers without relations.
std::optional<OverlapFound> FindOverlap(const Problem& problem,
                                        const std::vector<Placement>& placements);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_CHECK_OVERLAP_CHECKER_H_
