#ifndef TENON_PLANNER_EXACT_PART_SOLVER_H_
#define TENON_PLANNER_EXACT_PART_SOLVER_H_

// Internal: buffers of one pool that conflict with no other buffers, and the search for them.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "planner/exact/packing_search.h"
#include "planner/exact/search_budget.h"
#include "planner/problem/pair_rules.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// Decides whether the buffers fit below a capacity.
class PartSolver {
 public:
  PartSolver() = default;
  PartSolver(const PartSolver&) = delete;
  PartSolver& operator=(const PartSolver&) = delete;
  virtual ~PartSolver() = default;

  /// Looks for offsets with all ends at or below `capacity` in at most `max_tries` steps.
  virtual SearchResult Solve(int64_t capacity, int64_t max_tries) = 0;
  /// Valid after kFound: offsets, one for each of `buffers`.
  virtual const std::vector<int64_t>& offsets() const = 0;

  /// The time of a try, relative to one try of a packing.
  virtual int64_t cost() const { return 1; }

  /// The buffers' numbers in the problem.
  const std::vector<int32_t>& buffers() const { return buffers_; }
  /// No smaller capacity is feasible.
  int64_t lower() const { return lower_; }
  /// Only multiples of this number need to be tried as peaks.
  int64_t unit() const { return unit_; }

 protected:
  std::vector<int32_t> buffers_;
  int64_t lower_ = 0;
  int64_t unit_ = 1;
};

/// Splits the `members` of a pool, which have no other candidate, into parts that do not conflict.
/// Returns false if some members are in no part because exact search cannot handle them.
bool MakeParts(const Problem& problem, const PairRules& rules, int32_t pool,
               const std::vector<int32_t>& members, SearchBudget* budget,
               std::vector<std::unique_ptr<PartSolver>>* parts);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_PART_SOLVER_H_
