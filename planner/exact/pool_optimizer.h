#ifndef TENON_PLANNER_EXACT_POOL_OPTIMIZER_H_
#define TENON_PLANNER_EXACT_POOL_OPTIMIZER_H_

// Internal: makes one pool smaller by exact search, and proves a lower bound of its size.

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

/// Optimizes a pool whose buffers have no other candidate.
class PoolOptimizer {
 public:
  PoolOptimizer(const Problem& problem, const PairRules& rules, int32_t pool,
                const std::vector<int32_t>& members, const LowerBound& bound,
                const PlanOptions& options, SearchBudget* budget);

  /// True if the exact searches can handle every member.
  bool complete() const { return complete_; }

  /// Takes the placements that `found_by` found as a start, for each part that is wholly in this
  /// pool and becomes smaller.
  void Start(const std::vector<Placement>& placements, std::string_view found_by);

  /// Searches at the bound, and in coarse steps towards it. With a capacity, anything that fits
  /// suffices; without one, this looks for the least size.
  void RunFirst();
  /// Alternates exact search and ejection search until nothing can improve or the budget is spent.
  void RunRest();
  /// True if nothing can improve.
  bool Done() const;

  /// A lower bound of the size. Its witness is small where a short search allows.
  LowerBound Bound() const;
  /// True if Bound() exceeds the capacity.
  bool infeasible() const { return known_ > capacity_; }
  /// Writes the best placements found.
  void Finish(std::vector<Placement>* placements) const;
  /// The method that found the part that determines the size of the pool.
  std::string_view found_by() const;

 private:
  struct Part {
    std::unique_ptr<PartSolver> solver;
    // No plan is smaller: shown by a search of `searched` steps, or by the solver's own bound.
    int64_t lower = 0;
    int64_t searched = 0;
    // The smallest peak found; INT64_MAX if there is no plan yet.
    int64_t upper = INT64_MAX;
    std::vector<int64_t> offsets;
    std::string_view found_by;
    // The first step to try when asking for less; 0 for the first time.
    int64_t step = 0;
  };

  int64_t Goal() const { return limited_ ? capacity_ : known_; }
  SearchResult Attempt(Part* part, int64_t capacity, int64_t tries);
  void Take(Part* part, const std::vector<int64_t>& offsets, std::string_view found_by);
  void TryGoal(int64_t tries);
  /// Bisects between the best peak found and the proven bound until `tries` tries do not decide.
  /// Small problems then need no other algorithm.
  void Settle(int64_t tries);
  /// Returns false if every part is as small as possible.
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
  // True before the other algorithms have run.
  bool is_first_ = false;
  // No plan makes the pool smaller.
  int64_t known_ = 0;
  std::vector<Part> parts_;
  // The index of a buffer among the members.
  std::vector<size_t> member_of_;
  // For the ejection search, if it supports the members.
  std::optional<Boxes> boxes_;
  // One search for each kind of weights, and the index of the next one to run.
  static constexpr std::array kTurns = {BoxWeights::kLongLives, BoxWeights::kAreas};
  std::array<std::optional<EjectionSearch>, kTurns.size()> ejections_;
  size_t next_ejection_ = 0;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_POOL_OPTIMIZER_H_
