#include "planner/heuristics/gap_placer.h"

#include <algorithm>

#include "support/check.h"

namespace tenon::planner {
namespace {

// Steps between questions whether to stop.
constexpr int64_t kLookEvery = 1 << 16;

int64_t Shift(int64_t offset, int64_t difference) {
  if (difference == kFarBelow || difference == kFarAbove) return difference;
  int64_t sum = 0;
  if (!__builtin_add_overflow(offset, difference, &sum)) return sum;
  return difference < 0 ? kFarBelow : kFarAbove;
}

int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

}  // namespace

GapPlacer::GapPlacer(const Problem& problem, const PairRules& rules)
    : problem_(problem),
      rules_(rules),
      costs_(problem),
      slots_(problem, rules),
      index_(problem, rules, slots_) {}

std::optional<Layout> GapPlacer::Place(const std::vector<int32_t>& order, Fit fit,
                                       const std::function<bool()>& stop) {
  TENON_CHECK(order.size() <= problem_.buffers.size());
  Layout layout;
  layout.placements.resize(problem_.buffers.size());
  layout.pool_sizes.resize(problem_.pools.size());
  index_.Clear();
  for (int32_t buffer : order) {
    near_ = index_.Near(buffer);
    work_ += static_cast<int64_t>(near_.size()) + 1;
    if (work_ >= next_look_) {
      next_look_ = work_ + kLookEvery;
      if (stop()) return std::nullopt;
    }
    if (PlaceOne(buffer, fit, &layout)) continue;
    if (layout.without_room++ == 0) layout.no_room_for = buffer;
  }
  for (int64_t size : layout.pool_sizes) layout.total = SaturatingAdd(layout.total, size);
  return layout;
}

bool GapPlacer::PlaceOne(int32_t buffer, Fit fit, Layout* layout) {
  for (const AccessCosts::Choice& choice : costs_.ChoicesOf(buffer)) {
    const std::optional<int64_t> offset = FindOffset(buffer, choice.pool, *layout, fit);
    if (!offset) continue;
    layout->placements[Index(buffer)] = {choice.pool, *offset};
    layout->price += choice.price;
    int64_t& size = layout->pool_sizes[Index(choice.pool)];
    size = std::max(size, *offset + problem_.buffers[Index(buffer)].size);
    index_.Add(buffer);
    return true;
  }
  return false;
}

// False: a placed partner requires another pool.
bool GapPlacer::CollectForbidden(int32_t buffer, int32_t pool, const Layout& layout) {
  forbidden_.clear();
  for (int32_t other : near_) {
    const Placement& placed = layout.placements[Index(other)];
    if (placed.pool != pool) {
      const Relation* relation = rules_.FindRelation(other, buffer);
      if (relation != nullptr && relation->same_pool) return false;
      continue;
    }
    differences_.clear();
    rules_.AddForbidden(other, buffer, &differences_);
    for (const DifferenceRange& range : differences_) {
      const DifferenceRange offsets = {Shift(placed.offset, range.first),
                                       Shift(placed.offset, range.last)};
      if (offsets.last >= 0) forbidden_.push_back(offsets);
    }
  }
  std::sort(forbidden_.begin(), forbidden_.end(),
            [](const DifferenceRange& a, const DifferenceRange& b) { return a.first < b.first; });
  return true;
}

std::optional<int64_t> GapPlacer::FindOffset(int32_t buffer, int32_t pool, const Layout& layout,
                                             Fit fit) {
  const Buffer& b = problem_.buffers[Index(buffer)];
  const Pool& p = problem_.pools[Index(pool)];
  if (b.size > EffectiveCapacity(p)) return std::nullopt;
  if (!CollectForbidden(buffer, pool, layout)) return std::nullopt;
  if (!b.fixed_offset) return Scan(b, pool, layout.pool_sizes[Index(pool)], fit);
  const int64_t offset = *b.fixed_offset;
  const bool aligned = AlignOffset(offset, EffectiveAlignment(b, p), p.base_offset) == offset;
  if (!aligned || offset > EffectiveCapacity(p) - b.size) return std::nullopt;
  for (const DifferenceRange& range : forbidden_) {
    if (range.first <= offset && offset <= range.last) return std::nullopt;
  }
  return offset;
}

std::optional<int64_t> GapPlacer::Scan(const Buffer& buffer, int32_t pool, int64_t top,
                                       Fit fit) const {
  const Pool& p = problem_.pools[Index(pool)];
  const int64_t alignment = EffectiveAlignment(buffer, p);
  const int64_t last = EffectiveCapacity(p) - buffer.size;
  int64_t offset = AlignOffset(0, alignment, p.base_offset);
  std::optional<int64_t> lowest;
  std::optional<int64_t> tightest;
  int64_t tightest_room = INT64_MAX;
  for (const DifferenceRange& range : forbidden_) {
    if (offset > last) break;
    if (range.first > offset) {
      if (!lowest) lowest = offset;
      if (fit == Fit::kFirst) return lowest;
      const int64_t room = range.first - offset;
      // A hole that raises the top is no better than the lowest one.
      if (room < tightest_room && offset + buffer.size <= top) {
        tightest = offset;
        tightest_room = room;
      }
    }
    if (range.last < offset) continue;
    if (range.last >= kMaxBytes) return tightest ? tightest : lowest;
    offset = AlignOffset(range.last + 1, alignment, p.base_offset);
  }
  if (!lowest && offset <= last) lowest = offset;
  return tightest ? tightest : lowest;
}

}  // namespace tenon::planner
