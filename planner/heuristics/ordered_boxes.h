#ifndef TENON_PLANNER_HEURISTICS_ORDERED_BOXES_H_
#define TENON_PLANNER_HEURISTICS_ORDERED_BOXES_H_

// Internal: placed boxes in order of their offsets, for many boxes that are live at once.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "planner/heuristics/placed_boxes.h"
#include "planner/problem/life_spans.h"

namespace tenon::planner {

/// The live intervals of placed boxes, by bottoms or by tops; ties go by number. Blocks hold them:
/// adding or removing an interval costs a block and the number of blocks. Gathering scans every
/// interval, but does not sort. PlacedBoxes is better if few boxes overlap in time.
class OrderedBoxes {
 public:
  enum class Key { kBottom, kTop };

  explicit OrderedBoxes(Key key) : key_(key) {}

  void Add(const PlacedBox& box);
  /// `box` was added.
  void Remove(const PlacedBox& box);
  /// Writes the intervals that overlap `life` to the beginning of `found`, in order, and returns
  /// their number. `found` grows if it is too short.
  size_t Gather(const LifeSpan& life, std::vector<PlacedBox>* found) const;

 private:
  static constexpr size_t kMost = 256;

  // Lives at or after index `count` are empty, so that a query can scan whole blocks.
  struct Block {
    Block() { firsts.fill(std::numeric_limits<int32_t>::max()); }

    size_t count = 0;
    std::array<int32_t, kMost> firsts;
    std::array<int32_t, kMost> ends{};
    std::array<int64_t, kMost> bottoms;
    std::array<int64_t, kMost> tops;
    std::array<int32_t, kMost> numbers;
  };

  const std::array<int64_t, kMost>& Keys(const Block& block) const {
    return key_ == Key::kBottom ? block.bottoms : block.tops;
  }
  bool IsAfter(const Block& block, size_t i, const PlacedBox& box) const;
  size_t FindBlock(const PlacedBox& box) const;
  void Split(size_t block);

  Key key_;
  size_t size_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_ORDERED_BOXES_H_
