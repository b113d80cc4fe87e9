#ifndef TENON_PLANNER_HEURISTICS_GAP_PLACER_H_
#define TENON_PLANNER_HEURISTICS_GAP_PLACER_H_

// Internal: places buffers one by one into the holes between the placed ones.

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

/// The result of placing all buffers in one order.
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

/// Supports every rule of a Problem. Uses the cheapest candidate pool with an offset that no placed
/// buffer forbids. There it takes the lowest such offset (Fit::kFirst), or the one in the tightest
/// hole below the pool's current top (Fit::kBest).
class GapPlacer {
 public:
  GapPlacer(const Problem& problem, const PairRules& rules);

  /// Places in the given order; a buffer without room is left out and counted. Nullopt if `stop`,
  /// which is polled from time to time, returned true.
  std::optional<Layout> Place(const std::vector<int32_t>& order, Fit fit,
                              const std::function<bool()>& stop);

  /// Placed neighbours visited so far.
  int64_t work() const { return work_; }

 private:
  // Finds the placed buffers that may conflict with `buffer`; returns their number.
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
  // Replaces the index if only lifetimes matter and boxes are crowded.
  std::optional<Boxes> crowd_;
  OrderedBoxes placed_{OrderedBoxes::Key::kBottom};
  std::vector<PlacedBox> near_boxes_;
  size_t near_count_ = 0;
  std::vector<int32_t> near_;
  std::vector<DifferenceRange> differences_;
  // Offsets that the current buffer must avoid, by their first.
  std::vector<DifferenceRange> forbidden_;
  int64_t work_ = 0;
  int64_t next_look_ = 0;
};

}  // namespace tenon::planner

#endif  // TENON_PLANNER_HEURISTICS_GAP_PLACER_H_
