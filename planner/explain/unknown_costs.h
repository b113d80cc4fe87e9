#ifndef TENON_PLANNER_EXPLAIN_UNKNOWN_COSTS_H_
#define TENON_PLANNER_EXPLAIN_UNKNOWN_COSTS_H_

#include <array>
#include <string>
#include <string_view>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// The names that the caller's pools give to the figures of a cost: the clock, and the bytes per
/// cycle of reads and of writes.
using CostNames = std::array<std::string_view, 3>;

/// A note if buffers have several candidate pools, and some of these lack a figure of the cost that
/// the accesses need. The order of the candidates then decides. Empty otherwise.
std::string UnknownCostsNote(const Problem& problem, const CostNames& names);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXPLAIN_UNKNOWN_COSTS_H_
