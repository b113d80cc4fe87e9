#ifndef TENON_PLANNER_CHECK_OVERLAP_CHECKER_H_
#define TENON_PLANNER_CHECK_OVERLAP_CHECKER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// Two buffers that use the same byte of a pool at the same time although no rule allows it.
struct OverlapFound {
  int32_t first = -1;
  int32_t second = -1;
  int64_t byte = 0;
  int64_t time = 0;
};

/// Part of the checker. Returns the first pair of buffers, in order of time, that overlap although
/// neither a relation nor their groups allow it. Skips pairs with a relation. Needs placements in
/// existing pools, with ends below kMaxBytes. Takes O(n log n) steps for buffers without relations.
std::optional<OverlapFound> FindOverlap(const Problem& problem,
                                        const std::vector<Placement>& placements);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_CHECK_OVERLAP_CHECKER_H_
