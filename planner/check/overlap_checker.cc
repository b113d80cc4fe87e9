#include "planner/check/overlap_checker.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_set.h"

namespace tenon::planner {
namespace {

// With more groups than this, their buffers are compared pairwise.
constexpr size_t kMaxGroups = 64;

// Bytes [begin, end) of a pool, used by one buffer over [from, to).
struct Occupied {
  int64_t from;
  int64_t to;
  int64_t begin;
  int64_t end;
  int32_t buffer;
};

bool MayMeet(const Buffer& x, const Buffer& y) {
  if (x.kind == BufferKind::kConstant || y.kind == BufferKind::kConstant) return true;
  if (x.groups.empty() || y.groups.empty()) return true;
  return std::any_of(x.groups.begin(), x.groups.end(), [&](int32_t group) {
    return std::find(y.groups.begin(), y.groups.end(), group) != y.groups.end();
  });
}

// Sweeps over time. Buffers that may never overlap are kept in order of addresses, where only
// neighbours can overlap. "Loose" buffers, which have relations, are compared with all others.
class Sweep {
 public:
  Sweep(const Problem& problem, const std::vector<bool>& loose,
        const absl::flat_hash_set<std::pair<int32_t, int32_t>>& related)
      : problem_(problem), loose_(loose), related_(related) {}

  std::optional<OverlapFound> Run(const std::vector<const Occupied*>& by_start) {
    for (const Occupied* one : by_start) {
      Expire(one->from);
      std::optional<OverlapFound> found = Compare(*one);
      if (found) return found;
      if (loose_[Index(one->buffer)]) {
        alive_loose_.push_back(one);
      } else {
        alive_.emplace(one->begin, one);
        ends_.emplace(one->to, one->begin);
      }
    }
    return std::nullopt;
  }

 private:
  void Expire(int64_t time) {
    for (; !ends_.empty() && ends_.top().first <= time; ends_.pop()) {
      alive_.erase(ends_.top().second);
    }
    std::erase_if(alive_loose_, [&](const Occupied* old) { return old->to <= time; });
  }

  std::optional<OverlapFound> Compare(const Occupied& one) const {
    auto it = alive_.upper_bound(one.begin);
    if (it != alive_.begin() && std::prev(it)->second->end > one.begin) --it;
    for (; it != alive_.end() && it->first < one.end; ++it) {
      if (AtOdds(*it->second, one)) return Found(*it->second, one);
    }
    for (const Occupied* old : alive_loose_) {
      if (AtOdds(*old, one)) return Found(*old, one);
    }
    return std::nullopt;
  }

  bool AtOdds(const Occupied& old, const Occupied& one) const {
    if (old.begin >= one.end || one.begin >= old.end || old.buffer == one.buffer) return false;
    if (related_.contains({old.buffer, one.buffer})) return false;
    return MayMeet(problem_.buffers[Index(old.buffer)], problem_.buffers[Index(one.buffer)]);
  }

  static OverlapFound Found(const Occupied& old, const Occupied& one) {
    return {old.buffer, one.buffer, std::max(old.begin, one.begin), one.from};
  }

  using End = std::pair<int64_t, int64_t>;

  const Problem& problem_;
  const std::vector<bool>& loose_;
  const absl::flat_hash_set<std::pair<int32_t, int32_t>>& related_;
  absl::btree_map<int64_t, const Occupied*> alive_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<const Occupied*> alive_loose_;
};

class Finder {
 public:
  Finder(const Problem& problem, const std::vector<Placement>& placements)
      : problem_(problem), placements_(placements), loose_(problem.buffers.size()) {
    for (const Relation& relation : problem.relations) {
      related_.insert({relation.a, relation.b});
      related_.insert({relation.b, relation.a});
      loose_[Index(relation.a)] = loose_[Index(relation.b)] = true;
    }
    FindGroups();
  }

  std::optional<OverlapFound> Run() {
    std::vector<std::vector<Occupied>> pools(problem_.pools.size());
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      AddOccupied(static_cast<int32_t>(i), &pools[Index(placements_[i].pool)]);
    }
    for (std::vector<Occupied>& list : pools) {
      std::erase_if(list, [](const Occupied& o) { return o.from >= o.to || o.begin >= o.end; });
      std::stable_sort(list.begin(), list.end(),
                       [](const Occupied& a, const Occupied& b) { return a.from < b.from; });
      for (int32_t group : groups_) {
        std::optional<OverlapFound> found = SweepGroup(list, group);
        if (found) return found;
      }
    }
    return std::nullopt;
  }

 private:
  bool Grouped(int32_t i) const {
    const Buffer& buffer = problem_.buffers[Index(i)];
    return buffer.kind != BufferKind::kConstant && !buffer.groups.empty();
  }

  void FindGroups() {
    for (const Buffer& buffer : problem_.buffers) {
      groups_.insert(groups_.end(), buffer.groups.begin(), buffer.groups.end());
      std::sort(groups_.begin(), groups_.end());
      groups_.erase(std::unique(groups_.begin(), groups_.end()), groups_.end());
      if (groups_.size() > kMaxGroups) break;
    }
    if (groups_.size() > kMaxGroups) {
      groups_.clear();
      for (size_t i = 0; i < loose_.size(); ++i) {
        if (Grouped(static_cast<int32_t>(i))) loose_[i] = true;
      }
    }
    if (groups_.empty()) groups_.push_back(-1);
  }

  // Sweeps the buffers of one group, together with the buffers without groups.
  std::optional<OverlapFound> SweepGroup(const std::vector<Occupied>& list, int32_t group) const {
    std::vector<const Occupied*> members;
    members.reserve(list.size());
    for (const Occupied& one : list) {
      const auto& own = problem_.buffers[Index(one.buffer)].groups;
      if (loose_[Index(one.buffer)] || !Grouped(one.buffer) ||
          std::find(own.begin(), own.end(), group) != own.end()) {
        members.push_back(&one);
      }
    }
    return Sweep(problem_, loose_, related_).Run(members);
  }

  void AddOccupied(int32_t i, std::vector<Occupied>* out) const {
    const Buffer& buffer = problem_.buffers[Index(i)];
    const int64_t begin = placements_[Index(i)].offset;
    const int64_t end = begin + buffer.size;
    if (buffer.kind == BufferKind::kConstant) {
      out->push_back({INT64_MIN, INT64_MAX, begin, end, i});
      return;
    }
    size_t gap = 0;
    for (const Lifetime& life : buffer.lifetimes) {
      int64_t from = life.lower;
      for (; gap < buffer.gaps.size() && buffer.gaps[gap].upper <= life.upper; ++gap) {
        const GapWindow& window = buffer.gaps[gap];
        if (window.lower == window.upper) continue;
        out->push_back({from, window.lower, begin, end, i});
        out->push_back(
            {window.lower, window.upper, begin + window.first_byte, begin + window.end_byte, i});
        from = window.upper;
      }
      out->push_back({from, life.upper, begin, end, i});
    }
  }

  const Problem& problem_;
  const std::vector<Placement>& placements_;
  std::vector<bool> loose_;
  std::vector<int32_t> groups_;
  absl::flat_hash_set<std::pair<int32_t, int32_t>> related_;
};

}  // namespace

std::optional<OverlapFound> FindOverlap(const Problem& problem,
                                        const std::vector<Placement>& placements) {
  return Finder(problem, placements).Run();
}

}  // namespace tenon::planner
