#ifndef TENON_PLANNER_HEURISTICS_GAP_PLACER_H_
#define TENON_PLANNER_HEURISTICS_GAP_PLACER_H_

// Internal: places buffers one by one into the holes between those already placed.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "planner/algorithms.h"
#include "planner/heuristics/ordered_boxes.h"
#include "planner/heuristics/placed_index.h"
#include "planner/problem/access_cost.h"
#include "planner/problem/boxes.h"
#include "planner/problem/pair_rules.h"
#include "planner/problem/problem.h"

namespace tenon::planner {

/// The outcome of placing all buffers in one order.
struct Layout {
  std::vector<Placement> placements;
  std::vector<int64_t> pool_sizes;
  int64_t total = 0;
  Price price;
  int64_t without_room = 0;
  std::optional<int32_t> no_room_for;

  bool BetterThan(const Layout& other) const {
    if (without_room != other.without_room) return without_room < other.without_room;
    return price != other.price ? price < other.price : total < other.total;
  }
};

/// Supports everything a Problem can say: of the offsets that no placed buffer forbids, the lowest
/// (Fit::kFirst), or the one in the tightest hole below the pool's present top (Fit::kBest), in the
/// cheapest candidate pool that has any.
class GapPlacer {
 public:
  GapPlacer(const Problem& problem, const PairRules& rules);

  /// Places in the given order; a buffer without room is left out and counted. nullopt: `stop` said
  /// so, which is asked now and then.
  std::optional<Layout> Place(const std::vector<int32_t>& order, Fit fit,
                              const std::function<bool()>& stop);

  /// Placed neighbours looked at so far.
  int64_t work() const { return work_; }

 private:
  // What is placed and may conflict with `buffer`: returns how much that is.
  size_t FindNear(int32_t buffer);
  void Add(int32_t buffer, int64_t offset);
  bool PlaceOne(int32_t buffer, Fit fit, Layout* layout);
  void CollectInCrowd(const Buffer& buffer);
  std::optional<int64_t> FindOffset(int32_t buffer, int32_t pool, const Layout& layout, Fit fit);
  bool CollectForbidden(int32_t buffer, int32_t pool, const Layout& layout);
  std::optional<int64_t> Scan(const Buffer& buffer, int32_t pool, int64_t top, Fit fit) const;

  const Problem& problem_;
  const PairRules& rules_;
  const AccessCosts costs_;
  TimeSlots slots_;
  PlacedIndex index_;
  // Instead of the index where lives alone matter and boxes are crowded.
  std::optional<Boxes> crowd_;
  OrderedBoxes placed_{OrderedBoxes::Key::kBottom};
  std::vector<PlacedBox> near_boxes_;
  size_t near_count_ = 0;
  std::vector<int32_t> near_;
  std::vector<DifferenceRange> differences_;
  // Offsets that the buffer at hand may not have, by their first.
  std::vector<DifferenceRange> forbidden_;
  int64_t work_ = 0;
  int64_t next_look_ = 0;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_GAP_PLACER_H_
