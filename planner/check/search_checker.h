#ifndef TENON_PLANNER_CHECK_SEARCH_CHECKER_H_
#define TENON_PLANNER_CHECK_SEARCH_CHECKER_H_

#include <cstdint>
#include <vector>

#include "planner/problem/problem.h"

namespace tenon::planner {

enum class RepeatedSearch : uint8_t {
  kNoPlace,  // no placement within the capacity exists
  kFits,     // a placement exists
  kTooLong,  // not decided within the checker's limit of steps
};

/// Part of the checker: decides whether the buffers `live`, alone in pool number `pool`, can all
/// end at or below `capacity`. The search is separate from the planner's, slow and simple, and
/// gives up soon.
RepeatedSearch RepeatSearch(const Problem& problem, int32_t pool, const std::vector<int32_t>& live,
                            int64_t capacity);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_CHECK_SEARCH_CHECKER_H_
