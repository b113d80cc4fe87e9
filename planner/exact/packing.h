#ifndef TENON_PLANNER_EXACT_PACKING_H_
#define TENON_PLANNER_EXACT_PACKING_H_

// Internal: the problem of the exact search. Rectangles with a fixed place in time move up and down
// in one pool (dynamic storage allocation; strip packing with fixed x coordinates).

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/problem/pair_rules.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// A buffer that is live once, with all its bytes, and has no other constraint.
struct PackingItem {
  int32_t buffer = -1;
  int64_t size = 0;
  /// The size rounded up to the least offset at which another item may follow.
  int64_t stride = 0;
  int64_t alignment = 1;
  double duration = 0;
  /// The half-open range of sections in which the item is live.
  int32_t first = 0;
  int32_t end = 0;
};

/// Items that no time divides: some item lives across every boundary between sections. Sections are
/// the times at which the set of live items is not a subset of the set at another time.
struct Packing {
  std::vector<PackingItem> items;
  int64_t base_offset = 0;
  /// The live items of every section, ascending.
  std::vector<std::vector<int32_t>> sections;
  /// The items that share a section with each item, ascending.
  std::vector<std::vector<int32_t>> overlaps;
  /// The sum of strides in each section, minus the largest rounding of an item in it.
  std::vector<int64_t> live;

  /// The least aligned offset of an item.
  int64_t Lead(const PackingItem& item) const {
    return AlignOffset(0, item.alignment, base_offset);
  }
};

/// True if each of `members` is live at most once, with all its bytes and the same groups, has no
/// fixed offset, and has only relations that repeat what the lifetimes imply.
bool IsPlain(const Problem& problem, const PairRules& rules, const std::vector<int32_t>& members);

/// Plain members of a pool as packings in order of time, each to be solved alone. Members that are
/// never live come first, one by one. Nullopt if the problem is too large for exact search.
std::optional<std::vector<Packing>> MakePackings(const Problem& problem, const PairRules& rules,
                                                 int32_t pool, const std::vector<int32_t>& members);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_PACKING_H_
