#include "planner/exact/packing_search.h"

#include <algorithm>

#include "support/check.h"

namespace tenon::planner {

PackingSearch::PackingSearch(const Packing& packing, SearchBudget* budget)
    : packing_(packing),
      budget_(budget),
      offsets_(packing.items.size()),
      rank_(packing.items.size()),
      limit_(packing.sections.size()),
      failures_(packing.sections.size()) {}

SearchResult PackingSearch::Run(int64_t capacity, const std::vector<int32_t>& order,
                                int64_t max_tries, bool follow) {
  capacity_ = capacity;
  follow_ = follow;
  tries_left_ = max_tries;
  const size_t count = packing_.items.size();
  const size_t sections = packing_.sections.size();
  TENON_CHECK(order.size() == count && packing_.live.size() == sections);
  for (size_t i = 0; i < count; ++i) rank_[Index(order[i])] = static_cast<int32_t>(i);
  least_.clear();
  total_.assign(sections, 0);
  crossing_.assign(sections, 0);
  placed_.assign(count, false);
  for (const PackingItem& item : packing_.items) {
    least_.push_back(packing_.Lead(item));
    if (least_.back() + item.size > capacity) return SearchResult::kNone;
    for (int32_t s = item.first; s < item.end; ++s) total_[Index(s)] += item.stride;
    for (int32_t s = item.first; s + 1 < item.end; ++s) ++crossing_[Index(s)];
  }
  for (size_t s = 0; s < sections; ++s) {
    limit_[s] = capacity + total_[s] - packing_.live[s];
    if (total_[s] > limit_[s]) return SearchResult::kNone;
  }
  raised_.clear();
  stack_ = order;
  return Solve({0, count, 0, static_cast<int32_t>(sections)}, {});
}

// Pushes the possible next items in order of offset and rank. An item above the end of another one
// is left out: the other could come first, and the search finds the packing that way.
size_t PackingSearch::PushCandidates(const Part& part, Step step) {
  const size_t begin = stack_.size();
  int64_t lowest_end = INT64_MAX;
  for (size_t i = part.begin; i < part.begin + part.count; ++i) {
    const int32_t item = stack_[i];
    lowest_end = std::min(lowest_end, least_[Index(item)] + packing_.items[Index(item)].size);
  }
  for (size_t i = part.begin; i < part.begin + part.count; ++i) {
    const int32_t item = stack_[i];
    const int64_t offset = least_[Index(item)];
    if (offset >= lowest_end || offset < step.offset) continue;
    if (offset == step.offset && rank_[Index(item)] < step.rank) continue;
    stack_.push_back(item);
  }
  std::sort(stack_.begin() + static_cast<ptrdiff_t>(begin), stack_.end(),
            [&](int32_t a, int32_t b) {
              const int64_t x = least_[Index(a)];
              const int64_t y = least_[Index(b)];
              return x != y && !follow_ ? x < y : rank_[Index(a)] < rank_[Index(b)];
            });
  return begin;
}

// The fullest section limits the next offset: all its items go at or above that offset.
int64_t PackingSearch::HighestOffset(const Part& part) const {
  int64_t highest = INT64_MAX;
  for (int32_t s = part.first; s < part.end; ++s) {
    highest = std::min(highest, limit_[Index(s)] - total_[Index(s)]);
  }
  return highest;
}

SearchResult PackingSearch::Solve(const Part& part, Step step) {
  if (part.count == 0) return SearchResult::kFound;
  const size_t begin = PushCandidates(part, step);
  const size_t end = stack_.size();
  const int64_t highest = HighestOffset(part);
  SearchResult result = SearchResult::kNone;
  for (size_t i = begin; i < end; ++i) {
    const int32_t item = stack_[i];
    if (least_[Index(item)] > highest) continue;
    if (tries_left_-- <= 0 || budget_->Spent()) {
      result = SearchResult::kStopped;
      break;
    }
    budget_->Take(packing_.items.size());
    bool carries = false;
    result = Try(part, item, &carries);
    // An item that nothing can rest on blocks no other item. No other place of it would help, and
    // all lower candidates have been tried.
    if (result != SearchResult::kNone || (!carries && !follow_)) break;
  }
  stack_.resize(begin);
  return result;
}

SearchResult PackingSearch::Try(const Part& part, int32_t item, bool* carries) {
  const PackingItem& it = packing_.items[Index(item)];
  const int64_t offset = least_[Index(item)];
  const size_t mark = raised_.size();
  int32_t first = it.first;
  int32_t end = it.end;
  placed_[Index(item)] = true;
  for (int32_t s = it.first; s < it.end; ++s) total_[Index(s)] -= it.stride;
  SearchResult result = SearchResult::kNone;
  if (Raise(item, &first, &end, carries) &&
      Possible(part, item, std::max(first, part.first), std::min(end, part.end))) {
    result = Follow(part, item);
  }
  while (raised_.size() > mark) {
    least_[Index(raised_.back().item)] = raised_.back().old;
    raised_.pop_back();
  }
  for (int32_t s = it.first; s < it.end; ++s) total_[Index(s)] += it.stride;
  placed_[Index(item)] = false;
  if (result == SearchResult::kFound) offsets_[Index(item)] = offset;
  return result;
}

// Lifts the items that overlap the placed item onto it. False: one would end too high.
bool PackingSearch::Raise(int32_t item, int32_t* first, int32_t* end, bool* carries) {
  const int64_t top = least_[Index(item)] + packing_.items[Index(item)].size;
  for (int32_t other : packing_.overlaps[Index(item)]) {
    if (placed_[Index(other)]) continue;
    *carries = true;
    int64_t& least = least_[Index(other)];
    if (least >= top) continue;
    const PackingItem& it = packing_.items[Index(other)];
    raised_.push_back({other, least});
    least = AlignOffset(top, it.alignment, packing_.base_offset);
    if (least + it.size > capacity_) return false;
    *first = std::min(*first, it.first);
    *end = std::max(*end, it.end);
  }
  return true;
}

bool PackingSearch::Refutes(int32_t section, int64_t offset) {
  const int64_t total = total_[Index(section)];
  if (total == 0) return false;
  // Offsets never decrease with depth, so the remaining items go at or above `offset` and the
  // lowest of their least offsets. Above that, they need `total` bytes below the limit.
  const int64_t room = limit_[Index(section)] - total;
  int64_t floor = INT64_MAX;
  for (int32_t i : packing_.sections[Index(section)]) {
    if (placed_[Index(i)] || least_[Index(i)] >= floor) continue;
    floor = least_[Index(i)];
    if (floor <= room) break;
  }
  if (std::max(floor, offset) <= room) return false;
  last_failure_ = section;
  failures_[Index(section)] += kFailure;
  return true;
}

// Whether the rest may fit above; sections [first, end) have changed. The section that refuted the
// last placement often refutes this one, so it is checked first.
bool PackingSearch::Possible(const Part& part, int32_t item, int32_t first, int32_t end) {
  const int64_t offset = least_[Index(item)];
  if (last_failure_ >= first && last_failure_ < end && Refutes(last_failure_, offset)) return false;
  for (size_t i = part.begin; i < part.begin + part.count; ++i) {
    const int32_t other = stack_[i];
    if (other == item || least_[Index(other)] >= offset) continue;
    // The other item cannot go below `offset` any more.
    if (offset + packing_.items[Index(other)].size > capacity_) return false;
  }
  for (int32_t s = first; s < end; ++s) {
    if (Refutes(s, offset)) return false;
  }
  return true;
}

// Solves the rest after placing `item`: in one piece, or in several where nothing crosses any more.
SearchResult PackingSearch::Follow(const Part& part, int32_t item) {
  const PackingItem& it = packing_.items[Index(item)];
  bool cut = false;
  for (int32_t s = it.first; s + 1 < it.end; ++s) cut |= --crossing_[Index(s)] == 0;
  const size_t begin = stack_.size();
  SearchResult result = SearchResult::kNone;
  if (cut) {
    result = SolveApart(part, item);
  } else {
    for (size_t i = part.begin; i < part.begin + part.count; ++i) {
      const int32_t other = stack_[i];
      if (other != item) stack_.push_back(other);
    }
    result = Solve({begin, part.count - 1, part.first, part.end},
                   {least_[Index(item)], rank_[Index(item)]});
  }
  stack_.resize(begin);
  for (int32_t s = it.first; s + 1 < it.end; ++s) ++crossing_[Index(s)];
  return result;
}

SearchResult PackingSearch::SolveApart(const Part& part, int32_t item) {
  std::vector<Part> pieces;
  int32_t first = part.first;
  for (int32_t s = part.first; s < part.end; ++s) {
    if (s + 1 < part.end && crossing_[Index(s)] > 0) continue;
    Part piece{stack_.size(), 0, first, s + 1};
    for (size_t i = part.begin; i < part.begin + part.count; ++i) {
      const int32_t other = stack_[i];
      const int32_t begin = packing_.items[Index(other)].first;
      if (other != item && begin >= first && begin <= s) stack_.push_back(other);
    }
    piece.count = stack_.size() - piece.begin;
    if (piece.count > 0) pieces.push_back(piece);
    first = s + 1;
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Part& a, const Part& b) { return a.count < b.count; });
  SearchResult result = SearchResult::kFound;
  for (const Part& piece : pieces) {
    result = Solve(piece, {});
    if (result != SearchResult::kFound) break;
  }
  return result;
}

}  // namespace tenon::planner
