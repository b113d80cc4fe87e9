#ifndef TENON_PLANNER_CHECK_SEARCH_CHECKER_H_
#define TENON_PLANNER_CHECK_SEARCH_CHECKER_H_

#include <cstdint>
#include <vector>

#include "planner/problem/problem.h"

namespace tenon::planner {

enum class RepeatedSearch : uint8_t {
  kNoPlace,  // there is none below the bytes in question
  kFits,     // there is one
  kTooLong,  // not decided within the steps that a checker may take
};

/// Whether the buffers `live`, alone in pool number `pool`, can all end at or below `capacity`.
/// Part of the checker: a search of its own, slow and simple, which gives up soon.
RepeatedSearch RepeatSearch(const Problem& problem, int32_t pool, const std::vector<int32_t>& live,
                            int64_t capacity);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_CHECK_SEARCH_CHECKER_H_
