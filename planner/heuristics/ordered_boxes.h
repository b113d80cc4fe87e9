#ifndef TENON_PLANNER_HEURISTICS_ORDERED_BOXES_H_
#define TENON_PLANNER_HEURISTICS_ORDERED_BOXES_H_

// Internal: placed boxes in order of their offsets, where many of them are live at once.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "planner/heuristics/placed_boxes.h"
#include "planner/problem/life_spans.h"

namespace tenon::planner {

/// The stretches of placed boxes in order of their bottoms or of their tops, ties by number. They
/// are kept in blocks: adding and removing one costs a block and the number of blocks. Gathering
/// looks at every stretch, but has nothing to sort. PlacedBoxes is better where few boxes meet.
class OrderedBoxes {
 public:
  enum class Key { kBottom, kTop };

  explicit OrderedBoxes(Key key) : key_(key) {}

  void Add(const PlacedBox& box);
  /// `box` was added.
  void Remove(const PlacedBox& box);
  /// Writes what is live at some time of `life` to the beginning of `found`, in order, and returns
  /// how many these are. `found` grows if it is too short.
  size_t Gather(const LifeSpan& life, std::vector<PlacedBox>* found) const;

 private:
  static constexpr size_t kMost = 256;

  // Lives beyond `count` are empty, so that a question may look at whole blocks.
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
