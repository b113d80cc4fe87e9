#ifndef TENON_PLANNER_EXACT_POOL_OPTIMIZER_H_
#define TENON_PLANNER_EXACT_POOL_OPTIMIZER_H_

// Internal: makes one pool smaller by exact search, and proves how small it can be.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "planner/exact/part_solver.h"
#include "planner/heuristics/ejection_search.h"
#include "planner/planner.h"
#include "planner/problem/boxes.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// A pool of buffers that can be nowhere else.
class PoolOptimizer {
 public:
  PoolOptimizer(const Problem& problem, const PairRules& rules, int32_t pool,
                const std::vector<int32_t>& members, const LowerBound& bound,
                const PlanOptions& options, SearchBudget* budget);

  /// Every member is in reach of the exact searches.
  bool complete() const { return complete_; }

  /// Takes the placements that `found_by` found as a start, where all of a part are in this pool
  /// and the part becomes smaller.
  void Start(const std::vector<Placement>& placements, std::string_view found_by);

  /// Searches at the bound, and in coarse steps towards it. With a capacity, whatever fits is
  /// enough; without, the least size is looked for.
  void RunFirst();
  /// Then searches until nothing is left to win or the budget is spent: exact search and ejection
  /// search by turns.
  void RunRest();
  /// Nothing is left to win.
  bool Done() const;

  /// The least size that may yet be possible. Its witness is small where a short search allows.
  LowerBound Bound() const;
  /// Bound() is more than the capacity.
  bool infeasible() const { return known_ > capacity_; }
  /// Writes the best placements found.
  void Finish(std::vector<Placement>* placements) const;
  /// The method that found the part on which the size of the pool depends.
  std::string_view found_by() const;

 private:
  struct Part {
    std::unique_ptr<PartSolver> solver;
    // No plan is smaller; after a search of so many steps, or by the solver's own bound.
    int64_t lower = 0;
    int64_t searched = 0;
    // The best found; INT64_MAX is none.
    int64_t upper = INT64_MAX;
    std::vector<int64_t> offsets;
    std::string_view found_by;
    // What to begin with when asking for less; 0 for the first time.
    int64_t step = 0;
  };

  int64_t Goal() const { return limited_ ? capacity_ : known_; }
  SearchResult Attempt(Part* part, int64_t capacity, int64_t tries);
  void Take(Part* part, const std::vector<int64_t>& offsets, std::string_view found_by);
  void TryGoal(int64_t tries);
  /// Halves what lies between the best found and what is proven, until so many tries do not decide:
  /// small problems then need no other algorithm.
  void Settle(int64_t tries);
  /// False: every part is as small as can be.
  bool RefineParts(int64_t tries);
  void Refine(Part* part, int64_t tries, int64_t least_step);
  void Eject(int64_t tries);
  std::vector<int64_t> MemberOffsets() const;
  void Report() const;

  const Problem& problem_;
  const PairRules& rules_;
  const PlanOptions& options_;
  SearchBudget* budget_;
  const int32_t pool_;
  const LowerBound& bound_;
  const int64_t capacity_;
  const bool limited_;
  bool complete_ = false;
  // The other algorithms have not had their turn.
  bool is_first_ = false;
  // No plan makes the pool smaller.
  int64_t known_ = 0;
  std::vector<Part> parts_;
  // The place of a buffer among the members.
  std::vector<size_t> member_of_;
  // For the ejection search, where the members suit it.
  std::optional<Boxes> boxes_;
  // One for each kind of weights, and whose turn it is.
  static constexpr std::array kTurns = {BoxWeights::kLongLives, BoxWeights::kAreas};
  std::array<std::optional<EjectionSearch>, kTurns.size()> ejections_;
  size_t next_ejection_ = 0;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_POOL_OPTIMIZER_H_
