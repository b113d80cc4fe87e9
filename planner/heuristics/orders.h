#ifndef TENON_PLANNER_HEURISTICS_ORDERS_H_
#define TENON_PLANNER_HEURISTICS_ORDERS_H_

#include <cstdint>
#include <vector>

#include "planner/problem/access_cost.h"
#include "planner/problem/pair_rules.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// Orders for placing buffers one by one, the most promising first: by size, by size times
/// duration, by duration, by number of buffers met, by birth, by death from the end. All are total
/// orders (ties: size descending, birth, number) and begin with the buffers of fixed offset. If
/// some buffer has a choice of pools, the first order is by the loss without the first choice,
/// relative to the bytes and time that the buffer takes.
std::vector<std::vector<int32_t>> CandidateOrders(const Problem& problem, const PairRules& rules,
                                                  const AccessCosts& costs);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_ORDERS_H_
