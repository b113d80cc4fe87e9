#ifndef TENON_PLANNER_EXACT_PACKING_H_
#define TENON_PLANNER_EXACT_PACKING_H_

// Internal: the problem of the exact search. Rectangles of a fixed place in time are moved up and
// down in one pool (dynamic storage allocation; a strip packing with fixed x coordinates).

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/problem/pair_rules.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// A buffer that is live once, with all its bytes, and bound by nothing else.
struct PackingItem {
  int32_t buffer = -1;
  int64_t size = 0;
  /// The size up to the least offset at which another item may follow.
  int64_t stride = 0;
  int64_t alignment = 1;
  double duration = 0;
  /// The sections in which it is live, half-open.
  int32_t first = 0;
  int32_t end = 0;
};

/// Items that no time at which nothing lives on divides. Time is cut to sections: the times at
/// which the set of live items is not part of the set of another time.
struct Packing {
  std::vector<PackingItem> items;
  int64_t base_offset = 0;
  /// The live items of every section, ascending.
  std::vector<std::vector<int32_t>> sections;
  /// The items that share a section with each item, ascending.
  std::vector<std::vector<int32_t>> overlaps;
  /// The sum of strides in each section, less what the topmost item may save by ending earlier.
  std::vector<int64_t> live;

  /// The least offset of an item on empty ground.
  int64_t Lead(const PackingItem& item) const {
    return AlignOffset(0, item.alignment, base_offset);
  }
};

/// Each of `members` is live at most once, with all its bytes and with the same groups, has no
/// fixed offset, and no relation with another but one that says what their lives say.
bool IsPlain(const Problem& problem, const PairRules& rules, const std::vector<int32_t>& members);

/// Plain members of a pool as packings, each to be solved alone, in order of time; those that are
/// never live come first, one by one. nullopt: too large for exact search.
std::optional<std::vector<Packing>> MakePackings(const Problem& problem, const PairRules& rules,
                                                 int32_t pool, const std::vector<int32_t>& members);

}  // namespace tenon::planner

#endif  // TENON_PLANNER_EXACT_PACKING_H_
