#ifndef TENON_PLANNER_HEURISTICS_EJECTION_SEARCH_H_
#define TENON_PLANNER_HEURISTICS_EJECTION_SEARCH_H_

// Internal: makes the plan of one pool smaller, step by step, however many boxes there are.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "planner/exact/search_budget.h"
#include "planner/heuristics/ordered_boxes.h"
#include "planner/heuristics/placed_boxes.h"
#include "planner/problem/boxes.h"

namespace tenon::planner {

/// The placed boxes that are live together with one, in order of their offsets. An order of all is
/// kept where boxes are crowded (Boxes::IsCrowded). Else every question sorts.
class OrderedNeighbors {
 public:
  explicit OrderedNeighbors(const Boxes& boxes);

  void Add(int32_t number, int64_t offset);
  /// `number` was added with this offset.
  void Remove(int32_t number, int64_t offset);

  /// What is live together with `number`, by bottoms. A box may occur once for each pair of
  /// stretches that meet. All end at `most` or below. Valid until the next question. Where an order
  /// is kept, boxes that live up to `margin` ranks before or after `number` are there as well.
  std::span<const PlacedBox> ByBottom(int32_t number, int64_t most, int32_t margin = 0);
  /// The same by tops, right after ByBottom.
  std::span<const PlacedBox> ByTop(int32_t number, int64_t most);

  bool keeps_order() const { return !unordered_; }

  /// Items that a question looks at where `found` boxes meet.
  size_t Cost(size_t found) const { return Cost(boxes_, found, !unordered_); }
  static size_t Cost(const Boxes& boxes, size_t found, bool keeps_order);

 private:
  PlacedBox At(int32_t number, const LifeSpan& life, int64_t offset) const;

  const Boxes& boxes_;
  // In use where no order is kept.
  std::optional<PlacedBoxes> unordered_;
  std::vector<PlacedBox> dealt_;
  OrderedBoxes bottoms_{OrderedBoxes::Key::kBottom};
  OrderedBoxes tops_{OrderedBoxes::Key::kTop};
  std::vector<PlacedBox> by_bottom_;
  std::vector<PlacedBox> by_top_;
};

/// Which boxes come back first, and are the most trouble to take out.
enum class BoxWeights : uint8_t {
  /// Long lives count more than large sizes: a small box that lives long is hard to put anywhere.
  kLongLives,
  /// Sizes times lives.
  kAreas,
};

/// Guided ejection search (Nagata and Bräysy, "A powerful route minimization heuristic for the
/// vehicle routing problem with time windows", 2009), for boxes below a ceiling. What ends above
/// the ceiling is taken out. A box that is out goes into the tightest hole, or else where the boxes
/// in its way are the least trouble: those are taken out in its place. A box that found no hole is
/// more trouble from then on, so the search does not run in circles.
///
/// Among many crowded boxes, a hole is better the more of its bytes are in use right before the box
/// lives, and right after: what lies idle for a short time only is lost for all others.
class EjectionSearch {
 public:
  /// `start` has the offsets of a plan in which no two boxes overlap.
  EjectionSearch(const Boxes& boxes, std::vector<int64_t> start, SearchBudget* budget,
                 BoxWeights weights = BoxWeights::kLongLives);

  /// Goes on from another plan, if its peak is lower.
  void Start(const std::vector<int64_t>& offsets);

  /// Lowers the ceiling by steps until the peak is `goal`, at most `tries` of the budget are used,
  /// or the budget is spent. True: the peak is lower than before.
  bool Run(int64_t goal, int64_t tries);

  /// Holes are chosen by what is in use before and after.
  bool has_contacts() const { return margin_ > 0; }

  /// Takes out all boxes but fixed ones and puts each, the largest weight first, into a hole below
  /// `ceiling`; what finds none goes on top in the end. Takes no tries of the budget, but ends with
  /// its time. True: the peak is lower than before.
  bool Build(int64_t ceiling);

  /// Looks for a plan below `ceiling` from scratch, with at most `tries` of the budget. All boxes
  /// but fixed ones are taken out, and come back, the largest first. What then is still out goes on
  /// top. True: the peak is lower than before.
  bool Rebuild(int64_t ceiling, int64_t tries);

  /// Rebuilds below ceilings that come closer and closer to `goal`, which is quicker than many
  /// small steps. One that fails ends it, and so does a budget that has used `until`, or has less
  /// than `least_seconds` left. `keep` is told of every lower peak.
  void RebuildCloseTo(int64_t goal, int64_t until, double least_seconds,
                      const std::function<void()>& keep);
  /// Runs until `goal`, or as long as the same limits allow.
  void RunUntil(int64_t goal, int64_t until, double least_seconds,
                const std::function<void()>& keep);

  /// Items that Rebuild looks at when every box finds a hole.
  static int64_t ItemsToRebuild(const Boxes& boxes);

  /// The best plan so far.
  const std::vector<int64_t>& offsets() const { return best_; }
  int64_t peak() const { return peak_; }

 private:
  bool Fit(int64_t ceiling, int64_t tries);
  bool HasTime() const { return !budget_->Spent() && budget_->SecondsLeft() >= least_seconds_; }
  void TakeOut(int32_t number);
  void Put(int32_t number, int64_t offset);
  int32_t NextOut();
  bool PutIntoHole(int32_t number, std::span<const PlacedBox> near);
  // What is in use before or after a box, above the ground at hand.
  struct Contact {
    int64_t bottom;
    int64_t top;
    // 1 without a pause, less the longer that is.
    double weight;
  };
  void AddContact(int32_t number, const PlacedBox& other, int64_t ground);
  double WorthAt(const Box& box, int64_t offset, int64_t room) const;
  std::optional<int64_t> FindByContacts(int32_t number, std::span<const PlacedBox> near);
  bool MakeRoom(int32_t number, std::span<const PlacedBox> near);
  void Keep();
  void PutRestOnTop();
  // Where a box ends that is placed.
  int64_t Top(int32_t number) const { return offsets_[Index(number)] + boxes_.At(number).size; }
  void Restore();

  const Boxes& boxes_;
  SearchBudget* budget_;
  OrderedNeighbors placed_;
  std::vector<int64_t> best_;
  int64_t peak_ = 0;
  int64_t ceiling_ = 0;
  double least_seconds_ = 0;
  // Longer pauses are no contact; 0: contacts do not matter.
  int32_t margin_ = 0;
  std::vector<Contact> contacts_;
  std::vector<PlacedBox> meeting_;
  int64_t step_ = 0;
  int64_t patience_ = 0;
  // Where a box is now; kOut is nowhere.
  std::vector<int64_t> offsets_;
  // A heap, the largest first.
  std::vector<std::pair<int64_t, int32_t>> out_;
  // Weights of boxes, and these times how often a box found no hole.
  std::vector<int64_t> weights_;
  std::vector<int64_t> troubles_;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_EJECTION_SEARCH_H_
