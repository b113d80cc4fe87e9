#ifndef TENON_PLANNER_HEURISTICS_EJECTION_SEARCH_H_
#define TENON_PLANNER_HEURISTICS_EJECTION_SEARCH_H_

// Internal: makes the plan of one pool smaller, step by step, however many boxes there are.

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "planner/exact/search_budget.h"
#include "planner/heuristics/placed_boxes.h"
#include "planner/problem/boxes.h"

namespace tenon::planner {

/// Guided ejection search (Nagata and Bräysy, "A powerful route minimization heuristic for the
/// vehicle routing problem with time windows", 2009), for boxes below a ceiling. What ends above
/// the ceiling is taken out. A box that is out goes into the tightest hole, or else where the boxes
/// in its way are the least trouble: those are taken out in its place. A box that found no hole is
/// more trouble from then on, so the search does not run in circles.
class EjectionSearch {
 public:
  /// `start` has the offsets of a plan in which no two boxes overlap.
  EjectionSearch(const Boxes& boxes, std::vector<int64_t> start, SearchBudget* budget);

  /// Goes on from another plan, if its peak is lower.
  void Start(const std::vector<int64_t>& offsets);

  /// Lowers the ceiling by steps until the peak is `goal`, at most `tries` of the budget are used,
  /// or the budget is spent. True: the peak is lower than before.
  bool Run(int64_t goal, int64_t tries);

  /// The best plan so far.
  const std::vector<int64_t>& offsets() const { return best_; }
  int64_t peak() const { return peak_; }

 private:
  bool Fit(int64_t ceiling, int64_t tries);
  void TakeOut(int32_t number);
  void Put(int32_t number, int64_t offset);
  int32_t NextOut();
  bool PutIntoHole(int32_t number);
  bool MakeRoom(int32_t number);
  void Restore();
  int64_t Trouble(int32_t number) const;

  const Boxes& boxes_;
  SearchBudget* budget_;
  PlacedBoxes placed_;
  std::mt19937 random_;
  std::vector<int64_t> best_;
  int64_t peak_ = 0;
  int64_t ceiling_ = 0;
  int64_t step_ = 0;
  int64_t patience_ = 0;
  // Where a box is now; kOut is nowhere.
  std::vector<int64_t> offsets_;
  std::vector<int32_t> out_;
  // Scaled size times duration, and how often a box found no hole.
  std::vector<int64_t> areas_;
  std::vector<int64_t> failures_;
  // Boxes that meet the one at hand, by bottom and by top.
  std::vector<PlacedBox> near_;
  std::vector<PlacedBox> by_top_;
  std::vector<PlacedBox> dealt_;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_EJECTION_SEARCH_H_
