#ifndef TENON_PASSES_CONSTANTS_MERGE_MERGE_ENGINE_H_
#define TENON_PASSES_CONSTANTS_MERGE_MERGE_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/constant.h"

// Internal to merge-constants: finds constants with common bytes. These functions change nothing
// and are deterministic. They take linear time in the bytes, up to the limits stated below.

namespace tenon::merging {

/// A constant that may be merged; not a slice of another.
struct Item {
  const Constant* data = nullptr;
  /// The required alignment of its address: a power of two.
  int64_t alignment = 1;
  /// Only items of the same family share bytes.
  size_t family = 0;
  /// True if it may contain others, but must not be placed in one or get a larger alignment.
  bool is_fixed = false;
};

/// For every item the first item with the same bytes, or the item itself. Fixed items come first;
/// each of several fixed items stays.
///
/// Items of a unique size are skipped. With more than two items of a size, a sample decides which
/// are worth hashing. Hashes decide which to compare, unless there are only two. Elided constants
/// are equal if their hashes are. Constants with unreadable bytes are equal to no other.
std::vector<size_t> FindEqual(std::span<const Item> items);

/// The bytes of an item from `offset` on.
struct Place {
  size_t item = 0;
  int64_t offset = 0;
};

/// The place of each item within another.
struct Containment {
  /// The item itself, at 0, if no other contains it. Items that contain others are in none.
  std::vector<Place> places;
  /// True if the search stopped at its limit: more may be possible.
  bool is_limited = false;
};

/// Looks for items inside larger (or equal) ones, at multiples of their alignment. Finds every item
/// that is contained in another item which stays, unless comparing takes more than 64 MiB plus 8
/// times the total bytes. Splats of more than 16 MiB take no part. A window of up to 16 bytes of
/// each item is looked up at every position of the larger items. This takes one pass over the bytes
/// for each window size (1, 2, 4, 8, 16), at multiples of the least alignment of the items with
/// that size.
Containment FindContained(std::span<const Item> items);

/// Items that overlap, the end of each with the beginning of the next, in this order.
struct Chain {
  std::vector<Place> parts;
  int64_t size_bytes = 0;
};
struct Overlaps {
  std::vector<Chain> chains;
  bool is_limited = false;
};

/// Looks for ends of items that are beginnings of others, the longest overlaps first. Overlaps have
/// kLeastOverlap to kMostOverlap bytes (less for many items). Chains have at most kMostJoined
/// bytes, since joining copies them. An item only follows items with at least its alignment, and
/// fixed items take no part.
Overlaps FindOverlaps(std::span<const Item> items);
inline constexpr int64_t kLeastOverlap = 16;
inline constexpr int64_t kMostOverlap = 4096;
inline constexpr int64_t kMostJoined = int64_t{16} << 20;

/// Larger splats stay splats, and are not used where their bytes are needed.
inline constexpr int64_t kMostExpanded = int64_t{16} << 20;

}  // namespace tenon::merging

#endif  // TENON_PASSES_CONSTANTS_MERGE_MERGE_ENGINE_H_
