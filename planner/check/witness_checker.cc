#include "planner/check/witness_checker.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"
#include "planner/check/search_checker.h"

namespace tenon::planner {
namespace {

bool IsConstant(const Buffer& buffer) { return buffer.kind == BufferKind::kConstant; }

bool LiveAt(const Buffer& buffer, int64_t time) {
  return std::any_of(buffer.lifetimes.begin(), buffer.lifetimes.end(),
                     [&](const Lifetime& life) { return life.lower <= time && time < life.upper; });
}

int64_t BytesUsedAt(const Buffer& buffer, int64_t time) {
  if (IsConstant(buffer)) return buffer.size;
  if (!LiveAt(buffer, time)) return 0;
  for (const GapWindow& gap : buffer.gaps) {
    if (gap.lower <= time && time < gap.upper) return gap.end_byte - gap.first_byte;
  }
  return buffer.size;
}

// Times at which what a buffer uses may change to all of it.
std::vector<int64_t> Starts(const Buffer& buffer) {
  std::vector<int64_t> starts;
  for (const Lifetime& life : buffer.lifetimes) starts.push_back(life.lower);
  for (const GapWindow& gap : buffer.gaps) {
    starts.push_back(gap.lower);
    starts.push_back(gap.upper);
  }
  return starts;
}

bool HaveCommonGroup(const Buffer& a, const Buffer& b) {
  return std::any_of(a.groups.begin(), a.groups.end(), [&](int32_t group) {
    return std::find(b.groups.begin(), b.groups.end(), group) != b.groups.end();
  });
}

// Both use all their bytes at some time.
bool MeetWhole(const Buffer& a, const Buffer& b) {
  if (IsConstant(a) && IsConstant(b)) return true;
  if (IsConstant(a)) return MeetWhole(b, a);
  if (!IsConstant(b) && !a.groups.empty() && !b.groups.empty() && !HaveCommonGroup(a, b)) {
    return false;
  }
  auto whole = [&](int64_t t) {
    return BytesUsedAt(a, t) == a.size && BytesUsedAt(b, t) == b.size;
  };
  const std::vector<int64_t> times_a = Starts(a);
  const std::vector<int64_t> times_b = Starts(b);
  return std::any_of(times_a.begin(), times_a.end(), whole) ||
         (!IsConstant(b) && std::any_of(times_b.begin(), times_b.end(), whole));
}

class Witness {
 public:
  Witness(const Problem& problem, const std::vector<Placement>& placements, int32_t pool,
          const LowerBound& bound)
      : problem_(problem), placements_(placements), pool_(pool), bound_(bound) {}

  std::string Refuse(int32_t* on_trust) const {
    std::string reason = RefuseMembers();
    if (bound_.kind == BoundKind::kSearch) {
      return reason.empty() ? RefuseSearch(on_trust) : reason;
    }
    if (bound_.searched != 0) return "has a search in the record of a bound that needs none";
    if (reason.empty()) reason = bound_.time ? RefuseGroups() : RefuseRelations();
    if (reason.empty() && !bound_.time) reason = RefusePairs();
    return reason.empty() ? RefuseBytes() : reason;
  }

 private:
  const Buffer& Member(size_t i) const { return problem_.buffers[Index(bound_.live[i])]; }

  // The first pool but this one that is large enough for a buffer.
  std::optional<int32_t> OtherPool(const Buffer& buffer) const {
    for (int32_t other : buffer.pools) {
      const int64_t capacity = problem_.pools[Index(other)].capacity;
      if (other != pool_ && (capacity == kUnlimited || capacity >= buffer.size)) return other;
    }
    return std::nullopt;
  }

  std::string RefuseMembers() const {
    absl::flat_hash_set<int32_t> seen;
    bool any_choice = false;
    for (int32_t index : bound_.live) {
      if (index < 0 || static_cast<size_t>(index) >= problem_.buffers.size()) {
        return fmt::format("has buffer number {} in its witness, of {}", index,
                           problem_.buffers.size());
      }
      const Buffer& buffer = problem_.buffers[Index(index)];
      if (!seen.insert(index).second) {
        return fmt::format("has buffer `{}` twice in its witness", buffer.name);
      }
      const std::optional<int32_t> other = OtherPool(buffer);
      any_choice = any_choice || other;
      if (other && !bound_.of_choice) {
        return fmt::format("has buffer `{}` in its witness, which may also be in `{}`", buffer.name,
                           problem_.pools[Index(*other)].name);
      }
      if (other && placements_[Index(index)].pool != pool_) {
        return fmt::format("has buffer `{}` in its witness, which is in `{}`", buffer.name,
                           problem_.pools[Index(placements_[Index(index)].pool)].name);
      }
      if (std::find(buffer.pools.begin(), buffer.pools.end(), pool_) == buffer.pools.end()) {
        return fmt::format("has buffer `{}` in its witness, which cannot be here", buffer.name);
      }
      if (bound_.time && BytesUsedAt(buffer, *bound_.time) == 0) {
        return fmt::format("has buffer `{}` in its witness, which uses nothing at time {}",
                           buffer.name, *bound_.time);
      }
    }
    if (bound_.of_choice && !any_choice)
      return "has a bound of a choice, but no buffer in its witness has one";
    return "";
  }

  std::string RefuseSearch(int32_t* on_trust) const {
    if (bound_.time || bound_.live.empty() || bound_.searched < 1 || bound_.bytes < 1) {
      return fmt::format("has a record of no search: {} buffers, {} steps, {} bytes",
                         bound_.live.size(), bound_.searched, bound_.bytes);
    }
    switch (RepeatSearch(problem_, pool_, bound_.live, bound_.bytes - 1)) {
      case RepeatedSearch::kFits:
        return fmt::format("has the lower bound {}, but the buffers of its witness fit into less",
                           bound_.bytes);
      case RepeatedSearch::kTooLong:
        ++*on_trust;
        break;
      case RepeatedSearch::kNoPlace:
        break;
    }
    return "";
  }

  std::string RefuseRelations() const {
    const absl::flat_hash_set<int32_t> live(bound_.live.begin(), bound_.live.end());
    for (const Relation& relation : problem_.relations) {
      if (relation.kind == RelationKind::kDisjoint) continue;
      if (!live.contains(relation.a) || !live.contains(relation.b)) continue;
      return fmt::format("has `{}` and `{}` in its witness, which may overlap",
                         problem_.buffers[Index(relation.a)].name,
                         problem_.buffers[Index(relation.b)].name);
    }
    return "";
  }

  // One group that all of them are in shows that they are live together.
  std::string RefuseGroups() const {
    absl::flat_hash_map<int32_t, size_t> members;
    size_t needed = 0;
    size_t most = 0;
    for (size_t i = 0; i < bound_.live.size(); ++i) {
      if (IsConstant(Member(i)) || Member(i).groups.empty()) continue;
      ++needed;
      const absl::flat_hash_set<int32_t> groups(Member(i).groups.begin(), Member(i).groups.end());
      for (int32_t group : groups) most = std::max(most, ++members[group]);
    }
    return most == needed ? "" : "has buffers in its witness that have no group in common";
  }

  std::string RefusePairs() const {
    absl::flat_hash_set<std::pair<int32_t, int32_t>> disjoint;
    for (const Relation& relation : problem_.relations) {
      disjoint.insert({relation.a, relation.b});
      disjoint.insert({relation.b, relation.a});
    }
    for (size_t i = 0; i < bound_.live.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (disjoint.contains({bound_.live[i], bound_.live[j]})) continue;
        if (MeetWhole(Member(i), Member(j))) continue;
        return fmt::format("has `{}` and `{}` in its witness, which may overlap", Member(j).name,
                           Member(i).name);
      }
    }
    return "";
  }

  // The most bytes that `a` and `b`, of these sizes, have in common, `b` at one of the differences
  // from `a` that the relation allows and that `step` divides.
  static int64_t MostCommon(const Relation& relation, int64_t a, int64_t b, int64_t step) {
    int64_t most = 0;
    const auto look = [&](const DifferenceRange& range, int64_t difference) {
      if (difference < range.first || difference > range.last || difference % step != 0) return;
      most = std::max(most, std::min(a, difference + b) - std::max<int64_t>(0, difference));
    };
    for (const DifferenceRange& range : relation.allowed) {
      // What is in common rises to a level and falls again: its corners, and the ends of the range.
      look(range, 0);
      look(range, a - b);
      if (range.first > -b && range.first < a) {
        look(range, range.first + ((-range.first % step) + step) % step);
      }
      if (range.last > -b && range.last < a) {
        look(range, range.last - ((range.last % step) + step) % step);
      }
    }
    return most;
  }

  // What pairs of the witness can share at its time.
  __int128 SharedBytes(int64_t alignment) const {
    const absl::flat_hash_set<int32_t> live(bound_.live.begin(), bound_.live.end());
    __int128 sum = 0;
    for (const Relation& relation : problem_.relations) {
      if (!live.contains(relation.a) || !live.contains(relation.b)) continue;
      if (relation.kind == RelationKind::kDisjoint) continue;
      const auto size = [&](int32_t buffer) {
        const int64_t bytes = problem_.buffers[Index(buffer)].size;
        return bytes + (alignment - bytes % alignment) % alignment;
      };
      const int64_t a = size(relation.a);
      const int64_t b = size(relation.b);
      sum += relation.kind == RelationKind::kMayShare ? std::min(a, b)
                                                      : MostCommon(relation, a, b, alignment);
    }
    return sum;
  }

  std::string RefuseBytes() const {
    int64_t alignment = kMaxAlignment;
    bool all_whole = true;
    for (size_t i = 0; i < bound_.live.size(); ++i) {
      alignment = std::min(alignment,
                           std::max(Member(i).alignment, problem_.pools[Index(pool_)].alignment));
      if (bound_.time && BytesUsedAt(Member(i), *bound_.time) != Member(i).size) all_whole = false;
    }
    if (!all_whole) alignment = 1;
    __int128 sum = 0;
    __int128 largest_rounding = 0;
    for (size_t i = 0; i < bound_.live.size(); ++i) {
      const int64_t bytes = bound_.time ? BytesUsedAt(Member(i), *bound_.time) : Member(i).size;
      const int64_t rounding = (alignment - bytes % alignment) % alignment;
      sum += bytes;
      sum += rounding;
      largest_rounding = std::max<__int128>(largest_rounding, rounding);
    }
    sum -= largest_rounding + SharedBytes(alignment);
    if (!bound_.live.empty()) {
      sum += (alignment - problem_.pools[Index(pool_)].base_offset % alignment) % alignment;
    }
    if (sum == bound_.bytes) return "";
    return fmt::format("has the lower bound {}, but its witness shows {}", bound_.bytes,
                       static_cast<int64_t>(std::min<__int128>(sum, INT64_MAX)));
  }

  const Problem& problem_;
  const std::vector<Placement>& placements_;
  const int32_t pool_;
  const LowerBound& bound_;
};

}  // namespace

std::string RefuseWitness(const Problem& problem, const std::vector<Placement>& placements,
                          int32_t pool, const LowerBound& bound, int32_t* on_trust) {
  return Witness(problem, placements, pool, bound).Refuse(on_trust);
}

}  // namespace tenon::planner
