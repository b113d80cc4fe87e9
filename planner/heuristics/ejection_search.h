#ifndef TENON_PLANNER_HEURISTICS_EJECTION_SEARCH_H_
#define TENON_PLANNER_HEURISTICS_EJECTION_SEARCH_H_

// Internal: makes the plan of one pool smaller, step by step, for any number of boxes.

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

/// The placed boxes that overlap one box in time, in order of their offsets. Where boxes are
/// crowded (Boxes::IsCrowded), an order of all boxes is maintained; otherwise every query sorts.
class OrderedNeighbors {
 public:
  explicit OrderedNeighbors(const Boxes& boxes);

  void Add(int32_t number, int64_t offset);
  /// `number` was added with this offset.
  void Remove(int32_t number, int64_t offset);

  /// The boxes that overlap `number` in time, by bottoms. A box may occur once for each pair of
  /// overlapping intervals. All end at or below `most`. Valid until the next query. If an order is
  /// maintained, boxes that live up to `margin` ranks before or after `number` are included.
  std::span<const PlacedBox> ByBottom(int32_t number, int64_t most, int32_t margin = 0);
  /// The same boxes by tops; call it right after ByBottom.
  std::span<const PlacedBox> ByTop(int32_t number, int64_t most);

  bool keeps_order() const { return !unordered_; }

  /// The number of items that a query looks at if `found` boxes overlap.
  size_t Cost(size_t found) const { return Cost(boxes_, found, !unordered_); }
  static size_t Cost(const Boxes& boxes, size_t found, bool keeps_order);

 private:
  PlacedBox At(int32_t number, const LifeSpan& life, int64_t offset) const;

  const Boxes& boxes_;
  // In use if no order is maintained.
  std::optional<PlacedBoxes> unordered_;
  std::vector<PlacedBox> dealt_;
  OrderedBoxes bottoms_{OrderedBoxes::Key::kBottom};
  OrderedBoxes tops_{OrderedBoxes::Key::kTop};
  std::vector<PlacedBox> by_bottom_;
  std::vector<PlacedBox> by_top_;
};

/// The weights of boxes: heavy boxes come back first and are the most expensive to take out.
enum class BoxWeights : uint8_t {
  /// Long lives count more than large sizes: a small box that lives long is hard to place.
  kLongLives,
  /// Size times life.
  kAreas,
};

/// Guided ejection search (Nagata and Bräysy, "A powerful route minimization heuristic for the
/// vehicle routing problem with time windows", 2009), for boxes below a ceiling. Boxes that end
/// above the ceiling are taken out. A box that is out goes into the tightest hole. Without a hole,
/// it replaces the boxes in its way at the place where these cost least to take out. A box that
/// found no hole costs more from then on, so the search does not cycle.
///
/// Among many crowded boxes, a hole is better if more of its bytes are in use right before and
/// right after the box lives. Bytes that are idle only for a short time are lost for all other
/// boxes.
class EjectionSearch {
 public:
  /// `start` has the offsets of a plan without overlaps.
  EjectionSearch(const Boxes& boxes, std::vector<int64_t> start, SearchBudget* budget,
                 BoxWeights weights = BoxWeights::kLongLives);

  /// Continues from another plan, if its peak is lower.
  void Start(const std::vector<int64_t>& offsets);

  /// Lowers the ceiling in steps until the peak is `goal`, `tries` of the budget are used, or the
  /// budget is spent. Returns true if the peak is lower than before.
  bool Run(int64_t goal, int64_t tries);

  /// True if the use of bytes before and after a box decides among holes.
  bool has_contacts() const { return margin_ > 0; }

  /// Takes out all boxes except fixed ones and puts each, in order of falling weight, into a hole
  /// below `ceiling`. Boxes without a hole go to the top at the end. Uses no tries of the budget,
  /// but respects its time. Returns true if the peak is lower than before.
  bool Build(int64_t ceiling);

  /// Looks for a plan below `ceiling` from scratch, with at most `tries` of the budget. All boxes
  /// except fixed ones are taken out and come back in order of falling weight. Boxes that are still
  /// out at the end go to the top. Returns true if the peak is lower than before.
  bool Rebuild(int64_t ceiling, int64_t tries);

  /// Rebuilds below ceilings that approach `goal`, which is quicker than many small steps. Ends
  /// when a rebuild fails, when the budget has used `until`, or when fewer than `least_seconds` are
  /// left. `keep` is called after every decrease of the peak.
  void RebuildCloseTo(int64_t goal, int64_t until, double least_seconds,
                      const std::function<void()>& keep);
  /// Runs until the peak is `goal`, or the same limits are reached.
  void RunUntil(int64_t goal, int64_t until, double least_seconds,
                const std::function<void()>& keep);

  /// The number of items that Rebuild looks at if every box finds a hole.
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
  // Bytes in use before or after a box, above the current ground.
  struct Contact {
    int64_t bottom;
    int64_t top;
    // 1 without a pause, less with a longer pause.
    double weight;
  };
  void AddContact(int32_t number, const PlacedBox& other, int64_t ground);
  double WorthAt(const Box& box, int64_t offset, int64_t room) const;
  std::optional<int64_t> FindByContacts(int32_t number, std::span<const PlacedBox> near);
  bool MakeRoom(int32_t number, std::span<const PlacedBox> near);
  void Keep();
  void PutRestOnTop();
  // The end of a placed box.
  int64_t Top(int32_t number) const { return offsets_[Index(number)] + boxes_.At(number).size; }
  void Restore();

  const Boxes& boxes_;
  SearchBudget* budget_;
  OrderedNeighbors placed_;
  std::vector<int64_t> best_;
  int64_t peak_ = 0;
  int64_t ceiling_ = 0;
  double least_seconds_ = 0;
  // The longest pause of a contact; 0 if contacts do not matter.
  int32_t margin_ = 0;
  std::vector<Contact> contacts_;
  std::vector<PlacedBox> meeting_;
  int64_t step_ = 0;
  int64_t patience_ = 0;
  // The current offset of each box; kOut if the box is out.
  std::vector<int64_t> offsets_;
  // A heap, the largest weight first.
  std::vector<std::pair<int64_t, int32_t>> out_;
  // The boxes' weights, and the weights times one plus the number of failures to find a hole.
  std::vector<int64_t> weights_;
  std::vector<int64_t> troubles_;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_EJECTION_SEARCH_H_
