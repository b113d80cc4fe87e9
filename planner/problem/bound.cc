#include "planner/problem/bound.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "planner/problem/pair_rules.h"
#include "planner/problem/shared_bytes.h"
#include "support/check.h"

namespace tenon::planner {
namespace {

// The largest problem in which cliques are looked for; the search is cubic.
constexpr size_t kMaxCliqueBuffers = 600;

// The only pool that can hold the buffer, or -1.
int32_t OnlyPool(const Problem& problem, const Buffer& buffer) {
  int32_t only = -1;
  for (int32_t pool : buffer.pools) {
    if (buffer.size > EffectiveCapacity(problem.pools[Index(pool)])) continue;
    if (only >= 0) return -1;
    only = pool;
  }
  return only;
}

// The bytes that a pair of buffers can share, for plain and for rounded sizes.
struct Shared {
  int64_t plain = 0;
  int64_t rounded = 0;
};

// A set of buffers and the space they need together. Sums of many sizes near 2^62 need more bits.
class Stack {
 public:
  void Add(int64_t bytes, bool whole, int64_t alignment) { Count(bytes, whole, alignment, 1); }
  void Remove(int64_t bytes, bool whole, int64_t alignment) { Count(bytes, whole, alignment, -1); }

  // A union has at least the sum of its parts minus the bytes that pairs share (Bonferroni 1936).
  void AddShared(const Shared& shared, int64_t times) {
    plain_ -= __int128{shared.plain} * times;
    rounded_ -= __int128{shared.rounded} * times;
  }

  // `lead` is the first possible offset of a buffer with that alignment.
  int64_t Bytes(int64_t lead) const {
    TENON_DCHECK(partial_ >= 0);
    const bool all_whole = partial_ == 0 && !slacks_.empty();
    const __int128 bytes = all_whole ? lead + rounded_ - slacks_.rbegin()->first : plain_;
    return static_cast<int64_t>(std::clamp<__int128>(bytes, 0, INT64_MAX));
  }

 private:
  void Count(int64_t bytes, bool whole, int64_t alignment, int64_t times) {
    plain_ += __int128{bytes} * times;
    if (!whole) {
      partial_ += times;
      return;
    }
    const int64_t up = RoundUp(bytes, alignment);
    rounded_ += __int128{up} * times;
    auto it = slacks_.try_emplace(up - bytes, 0).first;
    if ((it->second += times) == 0) slacks_.erase(it);
  }

  __int128 plain_ = 0;
  __int128 rounded_ = 0;
  std::map<int64_t, int64_t> slacks_;
  int64_t partial_ = 0;
};

struct Event {
  int64_t time;
  bool is_end;
  int32_t buffer;
  int64_t bytes;
  bool whole;
};

class PoolBound {
 public:
  PoolBound(const Problem& problem, const PairRules& rules, int32_t pool,
            std::vector<int32_t> members)
      : problem_(problem),
        rules_(rules),
        pool_(problem.pools[Index(pool)]),
        members_(std::move(members)) {}

  LowerBound Compute() {
    const std::vector<int32_t> all = members_;
    DropThoseThatMayOverlap();
    const bool any_dropped = members_.size() != all.size();
    SweepGroups();
    TakeLargest();
    if (PairsMayMeetWithoutACommonTime()) SearchCliques();
    // Usually gives the larger bound, unless many buffers share bytes with many others.
    if (any_dropped) {
      members_ = all;
      SweepGroups();
    }
    return best_;
  }

 private:
  int64_t Alignment(int32_t buffer) const {
    return EffectiveAlignment(problem_.buffers[Index(buffer)], pool_);
  }

  // Intervals that overlap pairwise have a common time, which the sweep has seen.
  bool PairsMayMeetWithoutACommonTime() const {
    return !problem_.relations.empty() ||
           std::any_of(members_.begin(), members_.end(),
                       [&](int32_t buffer) { return rules_.Pieces(buffer).size() > 1; });
  }

  void DropThoseThatMayOverlap() {
    std::vector<bool> member(problem_.buffers.size());
    for (int32_t buffer : members_) member[Index(buffer)] = true;
    for (const Relation& relation : problem_.relations) {
      if (relation.kind == RelationKind::kDisjoint) continue;
      if (!member[Index(relation.a)] || !member[Index(relation.b)]) continue;
      const bool a_is_smaller =
          problem_.buffers[Index(relation.a)].size < problem_.buffers[Index(relation.b)].size;
      member[a_is_smaller ? Index(relation.a) : Index(relation.b)] = false;
    }
    std::erase_if(members_, [&](int32_t buffer) { return !member[Index(buffer)]; });
  }

  void SweepGroups() {
    const std::vector<int32_t> groups = Groups();
    if (groups.empty()) Sweep(-1);
    for (int32_t group : groups) Sweep(group);
  }

  std::vector<int32_t> Groups() const {
    std::vector<int32_t> groups;
    for (int32_t buffer : members_) {
      const auto& own = problem_.buffers[Index(buffer)].groups;
      groups.insert(groups.end(), own.begin(), own.end());
    }
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    return groups;
  }

  bool InGroup(int32_t buffer, int32_t group) const {
    const Buffer& b = problem_.buffers[Index(buffer)];
    return group < 0 || b.groups.empty() || b.kind == BufferKind::kConstant ||
           std::find(b.groups.begin(), b.groups.end(), group) != b.groups.end();
  }

  std::vector<Event> Events(int32_t group) const {
    std::vector<Event> events;
    for (int32_t buffer : members_) {
      if (!InGroup(buffer, group)) continue;
      for (const UsePiece& piece : rules_.Pieces(buffer)) {
        const int64_t bytes = piece.end_byte - piece.first_byte;
        const bool whole = bytes == problem_.buffers[Index(buffer)].size;
        events.push_back({piece.lower, false, buffer, bytes, whole});
        events.push_back({piece.upper, true, buffer, bytes, whole});
      }
    }
    // Ends first: lifetimes are half-open.
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      return a.time != b.time ? a.time < b.time : a.is_end > b.is_end;
    });
    return events;
  }

  int64_t Lead(int64_t alignment) const { return AlignOffset(0, alignment, pool_.base_offset); }

  void Sweep(int32_t group) {
    int64_t alignment = kMaxAlignment;
    for (int32_t buffer : members_) {
      if (problem_.buffers[Index(buffer)].size > 0)
        alignment = std::min(alignment, Alignment(buffer));
    }
    Stack stack;
    absl::flat_hash_set<int32_t> live;
    int64_t most = 0;
    int64_t when = 0;
    const std::vector<Event> events = Events(group);
    for (size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      if (event.is_end) {
        live.erase(event.buffer);
        AddSharedWith(live, event.buffer, alignment, -1, &stack);
        stack.Remove(event.bytes, event.whole, alignment);
        continue;
      }
      stack.Add(event.bytes, event.whole, alignment);
      AddSharedWith(live, event.buffer, alignment, 1, &stack);
      live.insert(event.buffer);
      // Another buffer can share more than it adds, so only the full set at a time counts.
      if (i + 1 < events.size() && events[i + 1].time == event.time) continue;
      if (stack.Bytes(Lead(alignment)) > most) {
        most = stack.Bytes(Lead(alignment));
        when = event.time;
      }
    }
    if (most > best_.bytes) TakeTime(group, when);
  }

  // Adds the bytes that `buffer` can share with the buffers in `live`.
  void AddSharedWith(const absl::flat_hash_set<int32_t>& live, int32_t buffer, int64_t alignment,
                     int64_t times, Stack* stack) const {
    for (int32_t other : rules_.Related(buffer)) {
      if (!live.contains(other)) continue;
      const Relation* relation = rules_.FindRelation(buffer, other);
      TENON_CHECK(relation != nullptr);
      stack->AddShared({MostSharedBytes(problem_, *relation, 1),
                        MostSharedBytes(problem_, *relation, alignment)},
                       times);
    }
  }

  void TakeTime(int32_t group, int64_t time) {
    LowerBound found{.bytes = 0, .time = time, .live = {}};
    std::vector<UsePiece> pieces;
    int64_t alignment = kMaxAlignment;
    for (int32_t buffer : members_) {
      if (!InGroup(buffer, group)) continue;
      for (const UsePiece& piece : rules_.Pieces(buffer)) {
        if (time < piece.lower || piece.upper <= time) continue;
        found.live.push_back(buffer);
        pieces.push_back(piece);
        alignment = std::min(alignment, Alignment(buffer));
      }
    }
    Stack stack;
    absl::flat_hash_set<int32_t> live;
    for (size_t i = 0; i < pieces.size(); ++i) {
      const int64_t bytes = pieces[i].end_byte - pieces[i].first_byte;
      stack.Add(bytes, bytes == problem_.buffers[Index(found.live[i])].size, alignment);
      AddSharedWith(live, found.live[i], alignment, 1, &stack);
      live.insert(found.live[i]);
    }
    found.bytes = stack.Bytes(Lead(alignment));
    if (found.bytes > best_.bytes) best_ = std::move(found);
  }

  // Even a buffer that never uses all its bytes at once needs its whole size.
  void TakeLargest() {
    for (int32_t buffer : members_) {
      const int64_t bytes = Lead(Alignment(buffer)) + problem_.buffers[Index(buffer)].size;
      if (problem_.buffers[Index(buffer)].size == 0 || bytes <= best_.bytes) continue;
      best_ = LowerBound{.bytes = bytes, .time = std::nullopt, .live = {buffer}};
    }
  }

  // True if the two can never share a byte.
  bool Apart(int32_t a, int32_t b, std::vector<DifferenceRange>* scratch) const {
    scratch->clear();
    rules_.AddForbidden(a, b, scratch);
    const DifferenceRange all = {-problem_.buffers[Index(b)].size + 1,
                                 problem_.buffers[Index(a)].size - 1};
    return std::find(scratch->begin(), scratch->end(), all) != scratch->end();
  }

  void SearchCliques() {
    std::erase_if(members_, [&](int32_t i) { return problem_.buffers[Index(i)].size == 0; });
    if (members_.size() > kMaxCliqueBuffers) return;
    std::stable_sort(members_.begin(), members_.end(), [&](int32_t a, int32_t b) {
      return problem_.buffers[Index(a)].size > problem_.buffers[Index(b)].size;
    });
    const size_t count = members_.size();
    std::vector<std::vector<bool>> apart(count, std::vector<bool>(count));
    std::vector<DifferenceRange> scratch;
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < i; ++j) {
        apart[i][j] = apart[j][i] = Apart(members_[i], members_[j], &scratch);
      }
    }
    for (size_t start = 0; start < count; ++start) GrowClique(start, apart);
  }

  void GrowClique(size_t start, const std::vector<std::vector<bool>>& apart) {
    std::vector<size_t> clique = {start};
    for (size_t i = 0; i < members_.size(); ++i) {
      const bool fits = i != start && std::all_of(clique.begin(), clique.end(),
                                                  [&](size_t member) { return apart[i][member]; });
      if (fits) clique.push_back(i);
    }
    int64_t alignment = kMaxAlignment;
    for (size_t i : clique) alignment = std::min(alignment, Alignment(members_[i]));
    Stack stack;
    LowerBound found;
    for (size_t i : clique) {
      stack.Add(problem_.buffers[Index(members_[i])].size, true, alignment);
      found.live.push_back(members_[i]);
    }
    found.bytes = stack.Bytes(Lead(alignment));
    if (found.bytes <= best_.bytes) return;
    std::sort(found.live.begin(), found.live.end());
    best_ = std::move(found);
  }

  const Problem& problem_;
  const PairRules& rules_;
  const Pool& pool_;
  std::vector<int32_t> members_;
  LowerBound best_;
};

}  // namespace

std::vector<LowerBound> ComputeLowerBounds(const Problem& problem) {
  const PairRules rules(problem);
  std::vector<std::vector<int32_t>> members(problem.pools.size());
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const int32_t pool = OnlyPool(problem, problem.buffers[i]);
    if (pool >= 0) members[Index(pool)].push_back(static_cast<int32_t>(i));
  }
  std::vector<LowerBound> bounds;
  for (size_t p = 0; p < problem.pools.size(); ++p) {
    PoolBound bound(problem, rules, static_cast<int32_t>(p), std::move(members[p]));
    bounds.push_back(bound.Compute());
  }
  return bounds;
}

}  // namespace tenon::planner
