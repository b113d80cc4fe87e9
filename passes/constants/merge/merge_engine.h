#ifndef TENON_PASSES_CONSTANTS_MERGE_MERGE_ENGINE_H_
#define TENON_PASSES_CONSTANTS_MERGE_MERGE_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/constant.h"

// Internal to merge-constants: which constants have bytes in common. None of it changes anything;
// all of it is deterministic, and linear in the bytes but for the limits that are said below.

namespace tenon::merging {

/// A constant that may be merged, no slice of another.
struct Item {
  const Constant* data = nullptr;
  /// What its address is to be a multiple of: a power of two.
  int64_t alignment = 1;
  /// Only items of one family share bytes.
  size_t family = 0;
  /// It may hold others, but may not go into one itself, nor be aligned to more.
  bool is_fixed = false;
};

/// For every item the first that has the same bytes, or itself; a fixed item where there is one.
/// Of two fixed items each stays.
///
/// Items of a size of their own are not looked at. Among more than two of a size a sample decides
/// which are worth hashing; hashes decide which to compare, unless there are only two. Elided
/// constants are equal when their hashes are. Constants whose bytes cannot be read have no equal.
std::vector<size_t> FindEqual(std::span<const Item> items);

/// Bytes `offset`.. of an item.
struct Place {
  size_t item = 0;
  int64_t offset = 0;
};

/// Where each item's bytes are within another's.
struct Containment {
  /// The item itself, at 0, when they are in none. What holds others is itself in none.
  std::vector<Place> places;
  /// The search stopped at its limit: more may be possible.
  bool is_limited = false;
};

/// Looks for items within larger ones (or equal ones), at multiples of their alignment. All who are
/// contained in another item that stays are found, unless comparing takes more than 8 times the
/// bytes of all and 64 MiB. Splats of more than 16 MiB take no part. Of each item a window of up to
/// 16 bytes is looked up at every position of the larger ones: time is that of one pass over the
/// bytes for each size of windows (1, 2, 4, 8, 16), at multiples of the least alignment among their
/// items.
Containment FindContained(std::span<const Item> items);

/// Items that lie over one another, end over beginning, in this order.
struct Chain {
  std::vector<Place> parts;
  int64_t size_bytes = 0;
};
struct Overlaps {
  std::vector<Chain> chains;
  bool is_limited = false;
};

/// Looks for the ends of items that are beginnings of others, the longest overlaps first, of at
/// least kLeastOverlap and at most kMostOverlap bytes (less when items are many). The chains have
/// at most kMostJoined bytes, since joining copies them. An item follows only what is aligned at
/// least as it is, and no fixed item takes part.
Overlaps FindOverlaps(std::span<const Item> items);
inline constexpr int64_t kLeastOverlap = 16;
inline constexpr int64_t kMostOverlap = 4096;
inline constexpr int64_t kMostJoined = int64_t{16} << 20;

/// Splats of more bytes than that stay splats, and take part in nothing that needs their bytes.
inline constexpr int64_t kMostExpanded = int64_t{16} << 20;

/// Whether the bytes are those of a splat with elements of `width` bytes.
bool IsPeriodic(const Constant& constant, int64_t width);

}  // namespace tenon::merging

#endif  // TENON_PASSES_CONSTANTS_MERGE_MERGE_ENGINE_H_
