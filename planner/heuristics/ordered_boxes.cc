#include "planner/heuristics/ordered_boxes.h"

#include <algorithm>

#include "support/check.h"

namespace tenon::planner {
namespace {

constexpr int32_t kNever = std::numeric_limits<int32_t>::max();

}  // namespace

// True if the `i`th interval of `block` comes after `box`.
bool OrderedBoxes::IsAfter(const Block& block, size_t i, const PlacedBox& box) const {
  const int64_t key = key_ == Key::kBottom ? box.bottom : box.top;
  if (Keys(block)[i] != key) return Keys(block)[i] > key;
  return block.numbers[i] > box.number;
}

// The last block that does not begin after `box`, or the first block.
size_t OrderedBoxes::FindBlock(const PlacedBox& box) const {
  const auto after = std::partition_point(
      blocks_.begin(), blocks_.end(),
      [&](const std::unique_ptr<Block>& block) { return !IsAfter(*block, 0, box); });
  return after == blocks_.begin() ? 0 : static_cast<size_t>(after - blocks_.begin()) - 1;
}

void OrderedBoxes::Split(size_t block) {
  constexpr size_t kHalf = kMost / 2;
  Block& low = *blocks_[block];
  auto high = std::make_unique<Block>();
  const auto move = [&](const auto& from, auto& to) {
    std::copy(from.begin() + kHalf, from.end(), to.begin());
  };
  move(low.firsts, high->firsts);
  move(low.ends, high->ends);
  move(low.bottoms, high->bottoms);
  move(low.tops, high->tops);
  move(low.numbers, high->numbers);
  std::fill(low.firsts.begin() + kHalf, low.firsts.end(), kNever);
  low.count = kHalf;
  high->count = kMost - kHalf;
  blocks_.insert(blocks_.begin() + static_cast<ptrdiff_t>(block) + 1, std::move(high));
}

void OrderedBoxes::Add(const PlacedBox& box) {
  if (blocks_.empty()) blocks_.push_back(std::make_unique<Block>());
  size_t at = FindBlock(box);
  if (blocks_[at]->count == kMost) {
    Split(at);
    at = FindBlock(box);
  }
  Block& block = *blocks_[at];
  size_t place = block.count;
  while (place > 0 && IsAfter(block, place - 1, box)) --place;
  const auto insert = [&](auto& values, const auto& value) {
    const auto it = values.begin() + static_cast<ptrdiff_t>(place);
    const auto end = values.begin() + static_cast<ptrdiff_t>(block.count);
    std::copy_backward(it, end, end + 1);
    *it = value;
  };
  insert(block.firsts, box.life.first);
  insert(block.ends, box.life.end);
  insert(block.bottoms, box.bottom);
  insert(block.tops, box.top);
  insert(block.numbers, box.number);
  ++block.count;
  ++size_;
}

void OrderedBoxes::Remove(const PlacedBox& box) {
  TENON_CHECK(!blocks_.empty());
  const size_t at = FindBlock(box);
  Block& block = *blocks_[at];
  const auto first = block.numbers.begin();
  const auto end = first + static_cast<ptrdiff_t>(block.count);
  const auto place = std::find(first, end, box.number) - first;
  TENON_CHECK(place < end - first);
  const auto erase = [&](auto& values) {
    const auto it = values.begin() + place;
    std::copy(it + 1, values.begin() + static_cast<ptrdiff_t>(block.count), it);
  };
  erase(block.firsts);
  erase(block.ends);
  erase(block.bottoms);
  erase(block.tops);
  erase(block.numbers);
  --size_;
  block.firsts[--block.count] = kNever;
  if (block.count == 0) blocks_.erase(blocks_.begin() + static_cast<ptrdiff_t>(at));
}

size_t OrderedBoxes::Gather(const LifeSpan& life, std::vector<PlacedBox>* found) const {
  if (found->size() < size_) found->resize(size_);
  PlacedBox* next = found->data();
  std::array<int32_t, kMost> meets;
  std::array<uint16_t, kMost> meeting;
  for (const std::unique_ptr<Block>& owner : blocks_) {
    const Block& block = *owner;
    // A branch-free loop over the whole block, which compilers vectorize.
    for (size_t i = 0; i < kMost; ++i) {
      meets[i] = static_cast<int32_t>(block.firsts[i] < life.end) &
                 static_cast<int32_t>(life.first < block.ends[i]);
    }
    // Branch-free, since a branch would be unpredictable.
    size_t meetings = 0;
    for (size_t i = 0; i < kMost; ++i) {
      meeting[meetings] = static_cast<uint16_t>(i);
      meetings += static_cast<size_t>(meets[i]);
    }
    for (size_t k = 0; k < meetings; ++k) {
      const size_t i = meeting[k];
      *next++ = {
          {block.firsts[i], block.ends[i]}, block.bottoms[i], block.tops[i], block.numbers[i]};
    }
  }
  return static_cast<size_t>(next - found->data());
}

}  // namespace tenon::planner
