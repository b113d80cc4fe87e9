#ifndef TENON_PASSES_CONSTANTS_MERGE_MERGE_PLACES_H_
#define TENON_PASSES_CONSTANTS_MERGE_MERGE_PLACES_H_

#include <cstddef>
#include <vector>

#include "passes/constants/merge/merge_engine.h"

// Internal to merge-constants: records the decisions about items.

namespace tenon::merging {

/// The places of the bytes of items: at first each item holds its own bytes, later others may.
class ItemPlaces {
 public:
  /// At first, every item holds itself. `items` must outlive this object, and grow only through
  /// Add.
  explicit ItemPlaces(std::vector<Item>& items);

  /// Adds an item that holds itself; returns its index.
  size_t Add(Item item);
  /// Moves the bytes of `item` to `place`. The item there gets at least the alignment of `item`,
  /// unless it is fixed. A place within `item` itself changes nothing.
  void Put(size_t item, Place place);

  bool HoldsItself(size_t item) const { return places_[item].item == item; }
  /// The place of an item within an item that holds itself.
  Place Resolve(size_t item) const;
  /// The items that hold themselves, and their indices.
  std::vector<Item> Left(std::vector<size_t>& indices) const;

 private:
  std::vector<Item>& items_;
  std::vector<Place> places_;
};

}  // namespace tenon::merging

#endif  // TENON_PASSES_CONSTANTS_MERGE_MERGE_PLACES_H_
