#include "planner/heuristics/gap_placer.h"

#include <algorithm>

#include "support/check.h"

namespace tenon::planner {
namespace {

// The steps between polls of `stop`.
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

// With fewer buffers, lookups are quick in any case.
constexpr size_t kMany = 256;

// The buffers of one pool as crowded boxes, if lifetimes are their only rules.
std::optional<Boxes> FindCrowd(const Problem& problem, const PairRules& rules) {
  if (problem.buffers.size() <= kMany || problem.pools.size() != 1) return std::nullopt;
  if (!problem.relations.empty()) return std::nullopt;
  std::vector<int32_t> all;
  for (const Buffer& buffer : problem.buffers) {
    if (buffer.fixed_offset || !buffer.gaps.empty()) return std::nullopt;
    all.push_back(static_cast<int32_t>(all.size()));
  }
  if (!Boxes::Suits(problem, rules, 0, all)) return std::nullopt;
  std::optional<Boxes> boxes(std::in_place, problem, rules, 0, all);
  if (!boxes->IsCrowded()) boxes.reset();
  return boxes;
}

}  // namespace

GapPlacer::GapPlacer(const Problem& problem, const PairRules& rules)
    : problem_(problem),
      rules_(rules),
      costs_(problem),
      slots_(problem, rules),
      index_(problem, rules, slots_),
      crowd_(FindCrowd(problem, rules)) {}

std::optional<Layout> GapPlacer::Place(const std::vector<int32_t>& order, Fit fit,
                                       const std::function<bool()>& stop) {
  TENON_CHECK(order.size() <= problem_.buffers.size());
  Layout layout;
  layout.placements.resize(problem_.buffers.size());
  layout.pool_sizes.resize(problem_.pools.size());
  index_.Clear();
  placed_ = OrderedBoxes(OrderedBoxes::Key::kBottom);
  for (int32_t buffer : order) {
    work_ += static_cast<int64_t>(FindNear(buffer)) + 1;
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

size_t GapPlacer::FindNear(int32_t buffer) {
  if (!crowd_) {
    near_ = index_.Near(buffer);
    return near_.size();
  }
  const auto lives = crowd_->Lives(buffer);
  near_count_ = lives.empty() ? 0 : placed_.Gather(lives[0], &near_boxes_);
  return near_count_;
}

void GapPlacer::Add(int32_t buffer, int64_t offset) {
  if (!crowd_) return index_.Add(buffer);
  for (const LifeSpan& life : crowd_->Lives(buffer)) {
    placed_.Add({life, offset, offset + problem_.buffers[Index(buffer)].size, buffer});
  }
}

bool GapPlacer::PlaceOne(int32_t buffer, Fit fit, Layout* layout) {
  for (const AccessCosts::Choice& choice : costs_.ChoicesOf(buffer)) {
    const std::optional<int64_t> offset = FindOffset(buffer, choice.pool, *layout, fit);
    if (!offset) continue;
    layout->placements[Index(buffer)] = {choice.pool, *offset};
    layout->price += choice.price;
    int64_t& size = layout->pool_sizes[Index(choice.pool)];
    size = std::max(size, *offset + problem_.buffers[Index(buffer)].size);
    Add(buffer, *offset);
    return true;
  }
  return false;
}

// Boxes come in order of their bottoms, which is the order of the offsets that they forbid.
void GapPlacer::CollectInCrowd(const Buffer& buffer) {
  forbidden_.clear();
  for (size_t k = 0; k < near_count_; ++k) {
    const PlacedBox& other = near_boxes_[k];
    const DifferenceRange offsets = {other.bottom - buffer.size + 1, other.top - 1};
    // An overlapping range extends the previous one.
    if (!forbidden_.empty() && offsets.first <= forbidden_.back().last + 1) {
      forbidden_.back().last = std::max(forbidden_.back().last, offsets.last);
    } else {
      forbidden_.push_back(offsets);
    }
  }
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
  if (crowd_) {
    CollectInCrowd(b);
  } else if (!CollectForbidden(buffer, pool, layout)) {
    return std::nullopt;
  }
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
      // A hole that raises the top is not better than the lowest one.
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
