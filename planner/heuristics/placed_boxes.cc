#include "planner/heuristics/placed_boxes.h"

#include <algorithm>

namespace tenon::planner {
namespace {

// Slots of the lowest level cover 2^3 times; each higher level's slots cover 2^2 lower slots.
constexpr int kLowestShift = 3;
constexpr int kShiftStep = 2;
// A box is kept at the lowest level at which it touches no more slots than this.
constexpr size_t kMaxSlots = 10;

}  // namespace

PlacedBoxes::PlacedBoxes(const Boxes& boxes) : boxes_(boxes) {
  int shift = kLowestShift;
  do {
    levels_.push_back({shift, {}});
    levels_.back().slots.resize(Index(boxes.times() >> shift) + 1);
    shift += kShiftStep;
  } while (levels_.back().slots.size() > kMaxSlots);
}

PlacedBoxes::Level& PlacedBoxes::LevelOf(const LifeSpan& life) {
  size_t level = 0;
  while (levels_[level].Slot(life.end - 1) - levels_[level].Slot(life.first) >= kMaxSlots) ++level;
  return levels_[level];
}

void PlacedBoxes::Add(int32_t number, int64_t offset) {
  for (const LifeSpan& life : boxes_.Lives(number)) {
    Level& level = LevelOf(life);
    for (size_t s = level.Slot(life.first); s <= level.Slot(life.end - 1); ++s) {
      level.slots[s].push_back({life, offset, offset + boxes_.At(number).size, number});
    }
  }
}

void PlacedBoxes::Remove(int32_t number) {
  for (const LifeSpan& life : boxes_.Lives(number)) {
    Level& level = LevelOf(life);
    for (size_t s = level.Slot(life.first); s <= level.Slot(life.end - 1); ++s) {
      std::vector<PlacedBox>& slot = level.slots[s];
      const auto it = std::find_if(slot.begin(), slot.end(), [&](const PlacedBox& placed) {
        return placed.number == number && placed.life.first == life.first;
      });
      *it = slot.back();
      slot.pop_back();
    }
  }
}

void PlacedBoxes::Gather(int32_t number, std::vector<PlacedBox>* found) const {
  for (const LifeSpan& life : boxes_.Lives(number)) GatherLife(life, found);
}

void PlacedBoxes::GatherLife(const LifeSpan& life, std::vector<PlacedBox>* found) const {
  for (const Level& level : levels_) {
    const size_t begin = level.Slot(life.first);
    const size_t last = level.Slot(life.end - 1);
    for (size_t s = begin; s <= last; ++s) {
      for (const PlacedBox& placed : level.slots[s]) {
        // A box that touches several slots counts in the first visited one.
        if (std::max(level.Slot(placed.life.first), begin) != s) continue;
        if (placed.life.Meets(life)) found->push_back(placed);
      }
    }
  }
}

}  // namespace tenon::planner
