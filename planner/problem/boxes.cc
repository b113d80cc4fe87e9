#include "planner/problem/boxes.h"

#include <numeric>

#include "support/check.h"

namespace tenon::planner {
namespace {

// The limit on fixed boxes, which are compared pairwise.
constexpr size_t kMaxFixed = 1000;
// Boxes are crowded if at least one pair in this many overlaps in time.
constexpr double kCrowdedPart = 48;

// True if every fixed offset is valid for its buffer and no two of them conflict.
bool FixedFit(const Problem& problem, const PairRules& rules, const Pool& pool,
              const std::vector<int32_t>& fixed) {
  if (fixed.size() > kMaxFixed) return false;
  std::vector<DifferenceRange> forbidden;
  for (size_t i = 0; i < fixed.size(); ++i) {
    const Buffer& buffer = problem.buffers[Index(fixed[i])];
    TENON_CHECK(buffer.fixed_offset.has_value());
    const int64_t offset = *buffer.fixed_offset;
    if (offset > EffectiveCapacity(pool) - buffer.size || offset > kMaxBytes / 4) return false;
    if (AlignOffset(offset, EffectiveAlignment(buffer, pool), pool.base_offset) != offset)
      return false;
    for (size_t j = 0; j < i; ++j) {
      const int64_t difference = *problem.buffers[Index(fixed[j])].fixed_offset - offset;
      forbidden.clear();
      rules.AddForbidden(fixed[i], fixed[j], &forbidden);
      for (const DifferenceRange& range : forbidden) {
        if (range.first <= difference && difference <= range.last) return false;
      }
    }
  }
  return true;
}

}  // namespace

bool Boxes::Suits(const Problem& problem, const PairRules& rules, int32_t pool,
                  const std::vector<int32_t>& members) {
  int64_t most = 1;
  int64_t room = kMaxBytes / 2;
  std::vector<int32_t> fixed;
  for (int32_t i : members) {
    const Buffer& buffer = problem.buffers[Index(i)];
    if (!buffer.fixed_offset && !rules.Related(i).empty()) return false;
    if (buffer.fixed_offset) fixed.push_back(i);
    most = std::max(most, EffectiveAlignment(buffer, problem.pools[Index(pool)]));
  }
  for (int32_t i : members) {
    const int64_t size = problem.buffers[Index(i)].size;
    if (size > room - 2 * most) return false;
    room -= size + 2 * most;
  }
  return FixedFit(problem, rules, problem.pools[Index(pool)], fixed);
}

Boxes::Boxes(const Problem& problem, const PairRules& rules, int32_t pool,
             const std::vector<int32_t>& members)
    : base_offset_(problem.pools[Index(pool)].base_offset),
      lives_(problem, rules, members),
      boxes_(members.size()) {
  for (size_t i = 0; i < members.size(); ++i) {
    const auto number = static_cast<int32_t>(i);
    const Buffer& buffer = problem.buffers[Index(members[i])];
    Box& box = boxes_[i];
    box.size = buffer.size;
    box.alignment = EffectiveAlignment(buffer, problem.pools[Index(pool)]);
    ground_.push_back(buffer.fixed_offset.value_or(OffsetFrom(0, box)));
    const auto lives = Lives(number);
    if (lives.empty()) continue;
    box.first = lives.front().first;
    box.end = lives.back().end;
    for (const LifeSpan& life : lives) box.duration += life.end - life.first;
    (buffer.fixed_offset ? fixed_ : live_).push_back(number);
    unit_ = std::max(unit_, box.alignment);
  }
  std::stable_sort(fixed_.begin(), fixed_.end(), [&](int32_t a, int32_t b) {
    return ground_[Index(a)] + At(a).size < ground_[Index(b)] + At(b).size;
  });
}

bool Boxes::Meet(int32_t a, int32_t b) const {
  const auto x = Lives(a);
  const auto y = Lives(b);
  for (auto i = x.begin(), j = y.begin(); i != x.end() && j != y.end();) {
    if (i->Meets(*j)) return true;
    ++(i->end <= j->end ? i : j);
  }
  return false;
}

int64_t Boxes::Peak(const std::vector<int64_t>& offsets) const {
  TENON_CHECK(offsets.size() == boxes_.size());
  int64_t peak = 0;
  for (size_t i = 0; i < boxes_.size(); ++i) peak = std::max(peak, offsets[i] + boxes_[i].size);
  return peak;
}

int64_t Boxes::Meetings() const {
  // Births before each time, and deaths up to it.
  std::vector<int64_t> births(Index(times()) + 1);
  std::vector<int64_t> deaths(Index(times()) + 1);
  for (int32_t i : live_) {
    for (const LifeSpan& life : Lives(i)) {
      ++births[Index(life.first) + 1];
      ++deaths[Index(life.end)];
    }
  }
  std::partial_sum(births.begin(), births.end(), births.begin());
  std::partial_sum(deaths.begin(), deaths.end(), deaths.begin());
  int64_t sum = 0;
  for (int32_t i : live_) {
    for (const LifeSpan& life : Lives(i)) {
      sum += births[Index(life.end)] - deaths[Index(life.first)] - 1;
    }
  }
  return sum;
}

bool Boxes::IsCrowded() const {
  const auto count = static_cast<double>(boxes_.size());
  if (static_cast<double>(Meetings()) * kCrowdedPart < count * count) return false;
  for (size_t i = 0; i < boxes_.size(); ++i) {
    if (Lives(static_cast<int32_t>(i)).size() > 1) return false;
  }
  return true;
}

std::vector<int32_t> Boxes::ByOffset(const std::vector<int64_t>& offsets) const {
  std::vector<int32_t> order = live_;
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return offsets[Index(a)] < offsets[Index(b)]; });
  return order;
}

void Boxes::Raise(Skyline* skyline, int32_t i, int64_t top) const {
  for (const LifeSpan& life : Lives(i)) skyline->Raise(Index(life.first), Index(life.end), top);
}

int64_t Boxes::Highest(const Skyline& skyline, int32_t i) const {
  int64_t highest = 0;
  for (const LifeSpan& life : Lives(i)) {
    highest = std::max(highest, skyline.Highest(Index(life.first), Index(life.end)));
  }
  return highest;
}

std::vector<int64_t> Boxes::Drop(const std::vector<int32_t>& order) const {
  Skyline skyline(Index(times()));
  std::vector<int64_t> offsets = ground_;
  for (int32_t i : fixed_) Raise(&skyline, i, ground_[Index(i)] + At(i).size);
  for (int32_t i : order) {
    const Box& box = At(i);
    offsets[Index(i)] = OffsetFrom(Highest(skyline, i), box);
    Raise(&skyline, i, offsets[Index(i)] + box.size);
  }
  return offsets;
}

std::vector<int32_t> Boxes::OrderAtCeiling(const std::vector<int64_t>& offsets) const {
  std::vector<int32_t> order = live_;
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return offsets[Index(a)] + At(a).size > offsets[Index(b)] + At(b).size;
  });
  Skyline skyline(Index(times()));
  std::vector<int64_t> risen(boxes_.size());
  for (int32_t i : order) {
    const int64_t depth = Highest(skyline, i) + At(i).size;
    risen[Index(i)] = -depth;
    Raise(&skyline, i, depth);
  }
  return ByOffset(risen);
}

}  // namespace tenon::planner
