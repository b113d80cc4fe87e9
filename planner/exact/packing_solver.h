#ifndef TENON_PLANNER_EXACT_PACKING_SOLVER_H_
#define TENON_PLANNER_EXACT_PACKING_SOLVER_H_

// Internal: the exact search with restarts.

#include <cstdint>
#include <vector>

#include "planner/exact/packing.h"
#include "planner/exact/packing_orders.h"
#include "planner/exact/packing_search.h"
#include "planner/exact/part_solver.h"
#include "planner/exact/search_budget.h"

namespace tenon::planner {

/// Runs PackingSearch in many orders, each for a little longer than the last one. A good order
/// finds a packing in few tries, and a bad one never does (heavy tails; Gomes, Selman and Kautz,
/// "Boosting combinatorial search through randomization", AAAI 1998). Once a packing exists, every
/// other order follows it from the bottom, so that the search visits similar packings (Beck,
/// "Solution-guided multi-point constructive search", JAIR 2007).
class PackingSolver : public PartSolver {
 public:
  PackingSolver(Packing packing, SearchBudget* budget);

  /// Later calls reuse the weights and packings that earlier calls found.
  SearchResult Solve(int64_t capacity, int64_t max_tries) override;
  const std::vector<int64_t>& offsets() const override { return found_; }

 private:
  SearchResult Run(int64_t capacity, const std::vector<int32_t>& order, int64_t tries, bool follow);

  const Packing packing_;
  SearchBudget* budget_;
  PackingSearch search_;
  PackingOrders orders_;
  // The most recent packing.
  std::vector<int64_t> found_;
  // The value of budget_->used() at which the current call ends.
  int64_t end_ = 0;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_PACKING_SOLVER_H_
