#include "planner/boxes.h"

#include <numeric>

namespace tenon::planner {
namespace {

// Fixed ones are compared pair by pair.
constexpr size_t kMaxFixed = 1000;

// Every fixed offset is one that its buffer may have, and no two of them are at odds.
bool FixedFit(const Problem& problem, const PairRules& rules, const Pool& pool,
              const std::vector<int32_t>& fixed) {
  if (fixed.size() > kMaxFixed) return false;
  std::vector<DifferenceRange> forbidden;
  for (size_t i = 0; i < fixed.size(); ++i) {
    const Buffer& buffer = problem.buffers[Index(fixed[i])];
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
    if (!rules.Related(i).empty()) return false;
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
    : base_offset_(problem.pools[Index(pool)].base_offset), boxes_(members.size()) {
  std::vector<int64_t> times;
  std::vector<int32_t> all;
  for (size_t i = 0; i < members.size(); ++i) {
    const Buffer& buffer = problem.buffers[Index(members[i])];
    boxes_[i].size = buffer.size;
    boxes_[i].alignment = EffectiveAlignment(buffer, problem.pools[Index(pool)]);
    ground_.push_back(buffer.fixed_offset.value_or(OffsetFrom(0, boxes_[i])));
    const auto pieces = rules.Pieces(members[i]);
    if (pieces.empty()) continue;
    all.push_back(static_cast<int32_t>(i));
    (buffer.fixed_offset ? fixed_ : live_).push_back(static_cast<int32_t>(i));
    unit_ = std::max(unit_, boxes_[i].alignment);
    times.push_back(pieces.front().lower);
    times.push_back(pieces.back().upper);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const auto rank = [&](int64_t time) {
    return static_cast<int32_t>(std::lower_bound(times.begin(), times.end(), time) - times.begin());
  };
  for (int32_t i : all) {
    const auto pieces = rules.Pieces(members[Index(i)]);
    boxes_[Index(i)].first = rank(pieces.front().lower);
    boxes_[Index(i)].end = rank(pieces.back().upper);
  }
  times_ = static_cast<int32_t>(times.size());
  std::stable_sort(fixed_.begin(), fixed_.end(), [&](int32_t a, int32_t b) {
    return ground_[Index(a)] + At(a).size < ground_[Index(b)] + At(b).size;
  });
}

int64_t Boxes::Peak(const std::vector<int64_t>& offsets) const {
  int64_t peak = 0;
  for (size_t i = 0; i < boxes_.size(); ++i) peak = std::max(peak, offsets[i] + boxes_[i].size);
  return peak;
}

int64_t Boxes::Meetings() const {
  // Births before each time, and deaths up to it.
  std::vector<int64_t> births(Index(times_) + 1);
  std::vector<int64_t> deaths(Index(times_) + 1);
  for (int32_t i : live_) {
    ++births[Index(At(i).first) + 1];
    ++deaths[Index(At(i).end)];
  }
  std::partial_sum(births.begin(), births.end(), births.begin());
  std::partial_sum(deaths.begin(), deaths.end(), deaths.begin());
  int64_t sum = 0;
  for (int32_t i : live_) sum += births[Index(At(i).end)] - deaths[Index(At(i).first)] - 1;
  return sum;
}

std::vector<int32_t> Boxes::ByOffset(const std::vector<int64_t>& offsets) const {
  std::vector<int32_t> order = live_;
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return offsets[Index(a)] < offsets[Index(b)]; });
  return order;
}

std::vector<int64_t> Boxes::Drop(const std::vector<int32_t>& order) const {
  Skyline skyline(Index(times_));
  std::vector<int64_t> offsets = ground_;
  for (int32_t i : fixed_) {
    skyline.Raise(Index(At(i).first), Index(At(i).end), ground_[Index(i)] + At(i).size);
  }
  for (int32_t i : order) {
    const Box& box = At(i);
    const int64_t ground = skyline.Highest(Index(box.first), Index(box.end));
    offsets[Index(i)] = OffsetFrom(ground, box);
    skyline.Raise(Index(box.first), Index(box.end), offsets[Index(i)] + box.size);
  }
  return offsets;
}

std::vector<int32_t> Boxes::OrderAtCeiling(const std::vector<int64_t>& offsets) const {
  std::vector<int32_t> order = live_;
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return offsets[Index(a)] + At(a).size > offsets[Index(b)] + At(b).size;
  });
  Skyline skyline(Index(times_));
  std::vector<int64_t> risen(boxes_.size());
  for (int32_t i : order) {
    const Box& box = At(i);
    const int64_t depth = skyline.Highest(Index(box.first), Index(box.end)) + box.size;
    risen[Index(i)] = -depth;
    skyline.Raise(Index(box.first), Index(box.end), depth);
  }
  return ByOffset(risen);
}

}  // namespace tenon::planner
