#include "planner/problem/life_spans.h"

#include <algorithm>
#include <utility>

namespace tenon::planner {
namespace {

constexpr size_t kMaxStretches = size_t{1} << 24;

// Clocks are numbered from 0; constants and buffers without groups are on all of them.
class Clocks {
 public:
  Clocks(const Problem& problem, const PairRules& rules, const std::vector<int32_t>& members)
      : problem_(problem), rules_(rules) {
    for (int32_t i : members) {
      const auto& groups = problem.buffers[Index(i)].groups;
      groups_.insert(groups_.end(), groups.begin(), groups.end());
    }
    std::sort(groups_.begin(), groups_.end());
    groups_.erase(std::unique(groups_.begin(), groups_.end()), groups_.end());
    size_t stretches = 0;
    for (int32_t i : members) stretches += rules.Pieces(i).size() * CountOf(i);
    if (stretches > kMaxStretches) groups_.clear();
    times_.resize(std::max<size_t>(groups_.size(), 1));
    for (int32_t i : members) AddTimes(i);
    int32_t first = 0;
    for (std::vector<int64_t>& times : times_) {
      std::sort(times.begin(), times.end());
      times.erase(std::unique(times.begin(), times.end()), times.end());
      first_rank_.push_back(first);
      first += static_cast<int32_t>(times.size());
    }
    ranks_ = first;
  }

  int32_t ranks() const { return ranks_; }

  void AddSpans(int32_t buffer, std::vector<LifeSpan>* out) const {
    ForEachClock(buffer, [&](size_t clock) {
      ForEachStretch(buffer, [&](int64_t lower, int64_t upper) {
        out->push_back({Rank(clock, lower), Rank(clock, upper)});
      });
    });
  }

 private:
  bool IsOnAll(int32_t buffer) const {
    const Buffer& b = problem_.buffers[Index(buffer)];
    return groups_.empty() || b.groups.empty() || b.kind == BufferKind::kConstant;
  }

  size_t CountOf(int32_t buffer) const {
    return IsOnAll(buffer) ? std::max<size_t>(groups_.size(), 1)
                           : problem_.buffers[Index(buffer)].groups.size();
  }

  // Calls `f` in order of the clocks' ranks.
  template <typename F>
  void ForEachClock(int32_t buffer, F f) const {
    if (IsOnAll(buffer)) {
      for (size_t clock = 0; clock < times_.size(); ++clock) f(clock);
      return;
    }
    auto own = problem_.buffers[Index(buffer)].groups;
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    for (int32_t group : own) {
      f(static_cast<size_t>(std::lower_bound(groups_.begin(), groups_.end(), group) -
                            groups_.begin()));
    }
  }

  // Adjacent pieces form one interval, whichever bytes they use.
  template <typename F>
  void ForEachStretch(int32_t buffer, F f) const {
    const auto pieces = rules_.Pieces(buffer);
    for (size_t i = 0; i < pieces.size();) {
      size_t last = i;
      while (last + 1 < pieces.size() && pieces[last + 1].lower == pieces[last].upper) ++last;
      f(pieces[i].lower, pieces[last].upper);
      i = last + 1;
    }
  }

  void AddTimes(int32_t buffer) {
    ForEachClock(buffer, [&](size_t clock) {
      ForEachStretch(buffer, [&](int64_t lower, int64_t upper) {
        times_[clock].push_back(lower);
        times_[clock].push_back(upper);
      });
    });
  }

  int32_t Rank(size_t clock, int64_t time) const {
    const std::vector<int64_t>& times = times_[clock];
    const auto found = std::lower_bound(times.begin(), times.end(), time);
    return first_rank_[clock] + static_cast<int32_t>(found - times.begin());
  }

  const Problem& problem_;
  const PairRules& rules_;
  std::vector<int32_t> groups_;
  std::vector<std::vector<int64_t>> times_;
  std::vector<int32_t> first_rank_;
  int32_t ranks_ = 0;
};

}  // namespace

LifeSpans::LifeSpans(const Problem& problem, const PairRules& rules,
                     const std::vector<int32_t>& members) {
  const Clocks clocks(problem, rules, members);
  first_.reserve(members.size() + 1);
  spans_.reserve(members.size());
  for (int32_t i : members) {
    first_.push_back(static_cast<uint32_t>(spans_.size()));
    clocks.AddSpans(i, &spans_);
  }
  first_.push_back(static_cast<uint32_t>(spans_.size()));
  times_ = clocks.ranks();
}

}  // namespace tenon::planner
