#include "planner/check/search_checker.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tenon::planner {
namespace {

constexpr size_t kMaxBuffers = 24;
// The limit on compared pairs.
constexpr int64_t kMaxLooks = 3'000'000;

// Bytes [begin, end) of a buffer, used over [from, to).
struct Use {
  int64_t from;
  int64_t to;
  int64_t begin;
  int64_t end;
};

std::vector<Use> UsesOf(const Buffer& buffer) {
  if (buffer.size == 0) return {};
  if (buffer.kind == BufferKind::kConstant) return {{INT64_MIN, INT64_MAX, 0, buffer.size}};
  std::vector<Use> uses;
  for (const Lifetime& life : buffer.lifetimes) {
    int64_t from = life.lower;
    for (const GapWindow& gap : buffer.gaps) {
      if (gap.lower < life.lower || gap.upper > life.upper || gap.lower == gap.upper) continue;
      uses.push_back({from, gap.lower, 0, buffer.size});
      uses.push_back({gap.lower, gap.upper, gap.first_byte, gap.end_byte});
      from = gap.upper;
    }
    uses.push_back({from, life.upper, 0, buffer.size});
  }
  std::erase_if(uses, [](const Use& use) { return use.from >= use.to || use.begin >= use.end; });
  return uses;
}

bool InOneGroup(const Buffer& a, const Buffer& b) {
  const bool constant = a.kind == BufferKind::kConstant || b.kind == BufferKind::kConstant;
  if (constant || a.groups.empty() || b.groups.empty()) return true;
  return std::any_of(a.groups.begin(), a.groups.end(), [&](int32_t group) {
    return std::find(b.groups.begin(), b.groups.end(), group) != b.groups.end();
  });
}

// The constraints on offset(b) - offset(a).
struct Pair {
  const Relation* relation = nullptr;
  bool reversed = false;
  // Uses of a and of b that must not share a byte.
  std::vector<std::pair<Use, Use>> uses;

  // The least allowed difference at or above `d`, or the largest at or below `d`.
  std::optional<int64_t> Up(int64_t d) const { return Allowed(d, true); }
  std::optional<int64_t> Down(int64_t d) const { return Allowed(d, false); }

 private:
  std::optional<int64_t> Allowed(int64_t d, bool up) const {
    if (relation != nullptr && relation->kind == RelationKind::kOffsetDifference) {
      return Listed(d, up);
    }
    for (bool moved = true; moved;) {
      moved = false;
      for (const auto& [a, b] : uses) {
        if (d + b.begin >= a.end || d + b.end <= a.begin) continue;
        d = up ? a.end - b.begin : a.begin - b.end;
        moved = true;
      }
    }
    return d;
  }

  std::optional<int64_t> Listed(int64_t d, bool up) const {
    std::optional<int64_t> nearest;
    for (const DifferenceRange& range : relation->allowed) {
      // Differences are below 2^62: larger limits mean unlimited.
      int64_t first = std::max(range.first, -kMaxBytes);
      int64_t last = std::min(range.last, kMaxBytes);
      if (reversed) {
        std::swap(first, last);
        first = -first;
        last = -last;
      }
      if (first > last || (up ? last < d : first > d)) continue;
      const int64_t at = up ? std::max(first, d) : std::min(last, d);
      if (!nearest || (up ? at < *nearest : at > *nearest)) nearest = at;
    }
    return nearest;
  }
};

class Search {
 public:
  Search(const Problem& problem, int32_t pool, const std::vector<int32_t>& live, int64_t capacity)
      : problem_(problem), pool_(problem.pools[Index(pool)]), live_(live), capacity_(capacity) {
    const size_t count = live.size();
    pairs_.resize(count * count);
    for (size_t a = 0; a < count; ++a) {
      for (size_t b = a + 1; b < count; ++b) Describe(a, b);
    }
  }

  RepeatedSearch Run() {
    std::vector<int64_t> offsets;
    for (int32_t i : live_) {
      offsets.push_back(problem_.buffers[Index(i)].fixed_offset.value_or(0));
      if (!Align(&offsets.back(), i)) return RepeatedSearch::kNoPlace;
    }
    return Place(std::move(offsets));
  }

 private:
  struct Rule {
    size_t lower;
    size_t upper;
    int64_t distance;
  };

  const Buffer& At(size_t i) const { return problem_.buffers[Index(live_[i])]; }

  void Describe(size_t a, size_t b) {
    Pair& pair = pairs_[a * live_.size() + b];
    for (const Relation& relation : problem_.relations) {
      const bool same = relation.a == live_[a] && relation.b == live_[b];
      const bool reversed = relation.b == live_[a] && relation.a == live_[b];
      if (!same && !reversed) continue;
      pair.relation = &relation;
      pair.reversed = reversed;
    }
    if (pair.relation != nullptr) {
      if (pair.relation->kind != RelationKind::kDisjoint) return;
      if (At(a).size == 0 || At(b).size == 0) return;
      pair.uses.push_back({Use{0, 1, 0, At(a).size}, Use{0, 1, 0, At(b).size}});
      return;
    }
    if (!InOneGroup(At(a), At(b))) return;
    for (const Use& x : UsesOf(At(a))) {
      for (const Use& y : UsesOf(At(b))) {
        if (x.from < y.to && y.from < x.to) pair.uses.emplace_back(x, y);
      }
    }
  }

  // Moves to the next aligned offset. False: it is too high.
  bool Align(int64_t* offset, int32_t buffer) const {
    const Buffer& b = problem_.buffers[Index(buffer)];
    if (*offset > capacity_ - b.size) return false;
    const int64_t step = std::max(b.alignment, pool_.alignment);
    const int64_t over = (pool_.base_offset + *offset) % step;
    if (over != 0) *offset += step - over;
    if (b.fixed_offset && *offset != *b.fixed_offset) return false;
    return *offset <= capacity_ - b.size;
  }

  // Raises offsets until the rules hold. kTooLong: this takes too many rounds.
  RepeatedSearch Raise(std::vector<int64_t>* offsets) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Rule& rule : rules_) {
        if (++looks_ > kMaxLooks) return RepeatedSearch::kTooLong;
        const int64_t least = (*offsets)[rule.lower] + rule.distance;
        if ((*offsets)[rule.upper] >= least) continue;
        (*offsets)[rule.upper] = least;
        if (!Align(&(*offsets)[rule.upper], live_[rule.upper])) return RepeatedSearch::kNoPlace;
        changed = true;
      }
    }
    return RepeatedSearch::kFits;
  }

  RepeatedSearch Under(const Rule& rule, const std::vector<int64_t>& offsets) {
    rules_.push_back(rule);
    const RepeatedSearch result = Place(offsets);
    rules_.pop_back();
    return result;
  }

  // `offsets` are the least ones under the rules so far; branches on the first violated pair.
  RepeatedSearch Place(std::vector<int64_t> offsets) {
    const RepeatedSearch raised = Raise(&offsets);
    if (raised != RepeatedSearch::kFits) return raised;
    for (size_t a = 0; a < live_.size(); ++a) {
      for (size_t b = a + 1; b < live_.size(); ++b) {
        if (++looks_ > kMaxLooks) return RepeatedSearch::kTooLong;
        const Pair& pair = pairs_[a * live_.size() + b];
        if (pair.relation != nullptr && pair.relation->kind == RelationKind::kMayShare) continue;
        const int64_t difference = offsets[b] - offsets[a];
        const std::optional<int64_t> up = pair.Up(difference);
        if (up == difference) continue;
        if (up) {
          const RepeatedSearch result = Under({a, b, *up}, offsets);
          if (result != RepeatedSearch::kNoPlace) return result;
        }
        const std::optional<int64_t> down = pair.Down(difference);
        return down ? Under({b, a, -*down}, offsets) : RepeatedSearch::kNoPlace;
      }
    }
    return RepeatedSearch::kFits;
  }

  const Problem& problem_;
  const Pool& pool_;
  const std::vector<int32_t>& live_;
  const int64_t capacity_;
  std::vector<Pair> pairs_;
  std::vector<Rule> rules_;
  int64_t looks_ = 0;
};

}  // namespace

RepeatedSearch RepeatSearch(const Problem& problem, int32_t pool, const std::vector<int32_t>& live,
                            int64_t capacity) {
  if (live.size() > kMaxBuffers) return RepeatedSearch::kTooLong;
  return Search(problem, pool, live, capacity).Run();
}

}  // namespace tenon::planner
