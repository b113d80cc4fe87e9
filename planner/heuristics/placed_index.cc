#include "planner/heuristics/placed_index.h"

#include <algorithm>

namespace tenon::planner {
namespace {

constexpr size_t kMaxIndexSlots = 4096;
constexpr int32_t kLongLived = 64;

}  // namespace

TimeSlots::TimeSlots(const Problem& problem, const PairRules& rules)
    : spans_(problem.buffers.size()) {
  std::vector<int64_t> times;
  for (size_t i = 0; i < spans_.size(); ++i) {
    const auto pieces = rules.Pieces(static_cast<int32_t>(i));
    if (pieces.empty()) continue;
    times.push_back(pieces.front().lower);
    times.push_back(pieces.back().upper);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (times.empty()) return;
  const size_t slots = std::min(times.size(), kMaxIndexSlots);
  count_ = static_cast<int32_t>(slots);
  auto slot = [&](size_t rank) { return static_cast<int32_t>(rank * slots / times.size()); };
  auto rank = [&](int64_t time) {
    return static_cast<size_t>(std::lower_bound(times.begin(), times.end(), time) - times.begin());
  };
  for (size_t i = 0; i < spans_.size(); ++i) {
    const auto pieces = rules.Pieces(static_cast<int32_t>(i));
    if (pieces.empty()) continue;
    // The last slot is the slot of the last time before the end.
    spans_[i] = {slot(rank(pieces.front().lower)), slot(rank(pieces.back().upper) - 1)};
  }
}

PlacedIndex::PlacedIndex(const Problem& problem, const PairRules& rules, const TimeSlots& slots)
    : rules_(rules),
      slots_(slots),
      by_slot_(static_cast<size_t>(slots.count())),
      placed_(problem.buffers.size()),
      seen_(problem.buffers.size()) {}

void PlacedIndex::Clear() {
  for (std::vector<int32_t>& slot : by_slot_) slot.clear();
  long_lived_.clear();
  placed_.assign(placed_.size(), false);
}

void PlacedIndex::Add(int32_t buffer) {
  placed_[Index(buffer)] = true;
  const TimeSlots::Span span = slots_.Of(buffer);
  if (span.last - span.first >= kLongLived) {
    long_lived_.push_back(buffer);
    return;
  }
  for (int32_t slot = span.first; slot <= span.last; ++slot)
    by_slot_[Index(slot)].push_back(buffer);
}

void PlacedIndex::Take(int32_t buffer) {
  if (seen_[Index(buffer)] == round_) return;
  seen_[Index(buffer)] = round_;
  near_.push_back(buffer);
}

const std::vector<int32_t>& PlacedIndex::Near(int32_t buffer) {
  near_.clear();
  ++round_;
  for (int32_t other : rules_.Related(buffer)) {
    if (placed_[Index(other)]) Take(other);
  }
  const TimeSlots::Span span = slots_.Of(buffer);
  if (span.last < span.first) return near_;
  for (int32_t other : long_lived_) {
    const TimeSlots::Span life = slots_.Of(other);
    if (life.first <= span.last && span.first <= life.last) Take(other);
  }
  for (int32_t slot = span.first; slot <= span.last; ++slot) {
    for (int32_t other : by_slot_[Index(slot)]) Take(other);
  }
  return near_;
}

}  // namespace tenon::planner
