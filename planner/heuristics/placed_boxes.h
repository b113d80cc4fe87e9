#ifndef TENON_PLANNER_HEURISTICS_PLACED_BOXES_H_
#define TENON_PLANNER_HEURISTICS_PLACED_BOXES_H_

// Internal: finds the placed boxes that overlap a new box in time.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/problem/boxes.h"

namespace tenon::planner {

/// One live interval of a placed box.
struct PlacedBox {
  LifeSpan life;
  int64_t bottom = 0;
  int64_t top = 0;
  int32_t number = 0;
};

/// The boxes placed so far, by slots of time at several levels. A box is at the lowest level at
/// which it touches few slots, so adding and removing it is cheap whatever its duration.
class PlacedBoxes {
 public:
  explicit PlacedBoxes(const Boxes& boxes);

  void Add(int32_t number, int64_t offset);
  /// `number` was added.
  void Remove(int32_t number);
  /// Appends the placed boxes that overlap `number` in time, in no particular order. A box may
  /// occur once for each pair of overlapping intervals.
  void Gather(int32_t number, std::vector<PlacedBox>* found) const;

 private:
  struct Level {
    int shift;
    std::vector<std::vector<PlacedBox>> slots;

    size_t Slot(int32_t time) const { return Index(time >> shift); }
  };

  Level& LevelOf(const LifeSpan& life);
  void GatherLife(const LifeSpan& life, std::vector<PlacedBox>* found) const;

  const Boxes& boxes_;
  std::vector<Level> levels_;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_PLACED_BOXES_H_
