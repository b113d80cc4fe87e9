#ifndef TENON_PLANNER_EXACT_SUMMED_CHOICE_H_
#define TENON_PLANNER_EXACT_SUMMED_CHOICE_H_

// Internal: chooses pools for constants, which are all live at all times.

#include <cstdint>
#include <vector>

#include "planner/problem/access_cost.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// The choice for the buffers of summed pools. A pool is summed if all its possible buffers are
/// constants without rules of their own: they fit if the sum of their aligned sizes does.
struct SummedChoice {
  /// For each buffer of the problem the chosen pool; -1 for buffers of other pools. Empty if the
  /// search found no choice that fits.
  std::vector<int32_t> pools;
  /// For each buffer of the problem, whether it is in a summed pool.
  std::vector<bool> is_summed;
  /// No choice costs less: the sum of all buffers, with the cheapest pools of those that are not
  /// summed.
  Price bound;
  /// True if no choice is cheaper.
  bool is_least = false;
  /// True if no choice fits.
  bool nothing_fits = false;
};

/// Minimises the price within the capacities. The bound is the best one of Lagrange multipliers for
/// a byte of each pool that coordinate ascent finds. The multipliers also guide a greedy choice,
/// which moves and swaps improve, and prune branch and bound, whose nodes are limited. `start`, a
/// choice that fits, may be empty.
SummedChoice ChooseSummed(const Problem& problem, const AccessCosts& costs,
                          const std::vector<int32_t>& start);

/// Offsets that put the `members` of a summed pool side by side, those with larger alignments
/// first.
std::vector<int64_t> PileOffsets(const Problem& problem, int32_t pool,
                                 const std::vector<int32_t>& members);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_SUMMED_CHOICE_H_
