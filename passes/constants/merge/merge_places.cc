// A forest: an item lies in another one, which may be merged itself later. Offsets are added up
// only when a place is resolved, so that no decision must be revised.

#include "passes/constants/merge/merge_places.h"

#include <algorithm>

namespace tenon::merging {

ItemPlaces::ItemPlaces(std::vector<Item>& items) : items_(items) {
  for (size_t i = 0; i < items.size(); ++i) places_.push_back({i, 0});
}

size_t ItemPlaces::Add(Item item) {
  const size_t index = items_.size();
  items_.push_back(item);
  places_.push_back({index, 0});
  return index;
}

void ItemPlaces::Put(size_t item, Place place) {
  if (place.item == item) return;
  places_[item] = place;
  Item& holder = items_[place.item];
  if (!holder.is_fixed) holder.alignment = std::max(holder.alignment, items_[item].alignment);
}

Place ItemPlaces::Resolve(size_t item) const {
  Place place = places_[item];
  while (!HoldsItself(place.item)) {
    place.offset += places_[place.item].offset;
    place.item = places_[place.item].item;
  }
  return place;
}

std::vector<Item> ItemPlaces::Left(std::vector<size_t>& indices) const {
  indices.clear();
  std::vector<Item> left;
  for (size_t i = 0; i < places_.size(); ++i) {
    if (!HoldsItself(i)) continue;
    indices.push_back(i);
    left.push_back(items_[i]);
  }
  return left;
}

}  // namespace tenon::merging
