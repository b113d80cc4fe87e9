#ifndef TENON_PLANNER_EXACT_PART_SOLVER_H_
#define TENON_PLANNER_EXACT_PART_SOLVER_H_

// Internal: buffers of one pool that meet no others, and the search that suits them.

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
  /// After kFound: offsets, one for each of `buffers`.
  virtual const std::vector<int64_t>& offsets() const = 0;

  /// How much longer a try takes than that of a packing.
  virtual int64_t cost() const { return 1; }

  /// Numbers of the buffers in the problem.
  const std::vector<int32_t>& buffers() const { return buffers_; }
  /// No smaller capacity is worth asking for.
  int64_t lower() const { return lower_; }
  /// Of all peaks that are worth asking for.
  int64_t unit() const { return unit_; }

 protected:
  std::vector<int32_t> buffers_;
  int64_t lower_ = 0;
  int64_t unit_ = 1;
};

/// Splits the `members` of a pool, none of which has another candidate, to parts that do not meet.
/// Members in no part are beyond the exact searches; true if there are none.
bool MakeParts(const Problem& problem, const PairRules& rules, int32_t pool,
               const std::vector<int32_t>& members, SearchBudget* budget,
               std::vector<std::unique_ptr<PartSolver>>* parts);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_PART_SOLVER_H_
