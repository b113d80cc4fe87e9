#include "planner/exact/general_search.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "support/check.h"

namespace tenon::planner {
namespace {

// The limit on rounds of moving offsets. Without alignment, one round per buffer is enough if
// offsets exist; alignment may add some.
constexpr int kMaxRounds = 4096;
// All orders of stacks up to these sizes are tried: in the first few choices, and in the others.
constexpr size_t kMaxOrdered = 12;
constexpr size_t kMaxOrderedDeep = 8;
constexpr size_t kShallow = 3;
// A step scans all choices; this many take as long as one item of the budget.
constexpr size_t kChoicesPerItem = 16;

// Sorts the ranges, and merges those that overlap or touch.
std::vector<DifferenceRange> Merged(std::vector<DifferenceRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const DifferenceRange& a, const DifferenceRange& b) { return a.first < b.first; });
  std::vector<DifferenceRange> merged;
  for (const DifferenceRange& range : ranges) {
    TENON_DCHECK(range.first <= range.last);
    if (!merged.empty() &&
        (merged.back().last == kFarAbove || range.first <= merged.back().last + 1)) {
      merged.back().last = std::max(merged.back().last, range.last);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

// The offsets of two buffers differ by a multiple of `step`, a power of two. Extends the forbidden
// range by the adjacent differences that are not multiples.
DifferenceRange WidenedTo(int64_t step, DifferenceRange range) {
  TENON_DCHECK(range.first <= range.last);
  if (range.first > -kMaxBytes) range.first = ((range.first - 1) & -step) + 1;
  if (range.last < kMaxBytes) range.last = ((range.last + step) & -step) - 1;
  return range;
}

int64_t Saturated(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? kFarBelow : kFarAbove;
}

}  // namespace

GeneralSearch::GeneralSearch(const Problem& problem, const PairRules& rules, int32_t pool,
                             std::vector<int32_t> buffers, SearchBudget* budget)
    : budget_(budget), base_offset_(problem.pools[Index(pool)].base_offset) {
  buffers_ = std::move(buffers);
  const Pool& p = problem.pools[Index(pool)];
  for (int32_t i : buffers_) {
    const Buffer& buffer = problem.buffers[Index(i)];
    sizes_.push_back(buffer.size);
    alignments_.push_back(EffectiveAlignment(buffer, p));
    const int64_t wanted = buffer.fixed_offset.value_or(0);
    whole_.least.push_back(AlignOffset(wanted, alignments_.back(), base_offset_));
    whole_.most.push_back(buffer.fixed_offset.value_or(kMaxBytes));
    lower_ = std::max(lower_, whole_.least.back() + buffer.size);
  }
  FindChoices(rules);
  FindStacks(rules);
  FindCliques();
  for (const Stack& stack : stacks_) lower_ = std::max(lower_, StackBound(stack, whole_.least));
}

void GeneralSearch::FindChoices(const PairRules& rules) {
  for (size_t a = 0; a < buffers_.size(); ++a) {
    for (size_t b = a + 1; b < buffers_.size(); ++b) {
      std::vector<DifferenceRange> ranges;
      rules.AddForbidden(buffers_[a], buffers_[b], &ranges);
      const int64_t step = std::min(alignments_[a], alignments_[b]);
      for (DifferenceRange& range : ranges) range = WidenedTo(step, range);
      for (const DifferenceRange& range : Merged(std::move(ranges))) {
        Choice choice{{b, a, kFarAbove}, {a, b, kFarAbove}, range.first, range.last};
        if (range.first > -kMaxBytes) choice.low.by = 1 - range.first;
        if (range.last < kMaxBytes) choice.high.by = range.last + 1;
        choices_.push_back(choice);
      }
    }
  }
}

// Collects the bytes in use at each time by buffers with a common group and no relation to each
// other. Each pair of them conflicts.
void GeneralSearch::FindStacks(const PairRules& rules) {
  std::vector<int64_t> times;
  for (int32_t buffer : buffers_) {
    for (const UsePiece& piece : rules.Pieces(buffer)) times.push_back(piece.lower);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  for (int64_t time : times) {
    Stack stack;
    for (size_t i = 0; i < buffers_.size(); ++i) {
      const bool meets = std::all_of(stack.begin(), stack.end(), [&](const Use& use) {
        const int32_t other = buffers_[use.buffer];
        return rules.FindRelation(other, buffers_[i]) == nullptr &&
               rules.Conflict(other, buffers_[i]);
      });
      if (!meets) continue;
      for (const UsePiece& piece : rules.Pieces(buffers_[i])) {
        if (piece.lower > time || piece.upper <= time) continue;
        stack.push_back({i, piece.first_byte, piece.end_byte});
      }
    }
    if (stack.size() > 1) stacks_.push_back(std::move(stack));
  }
}

// Finds sets of buffers that never share a byte, greedily from every pair, the large ones first.
void GeneralSearch::FindCliques() {
  const size_t count = sizes_.size();
  std::vector<std::vector<bool>> apart(count, std::vector<bool>(count));
  for (const Choice& choice : choices_) {
    const size_t a = choice.high.from;
    const size_t b = choice.high.to;
    const bool always = choice.first <= 1 - sizes_[b] && choice.last >= sizes_[a] - 1;
    if (always && sizes_[a] != 0 && sizes_[b] != 0) apart[a][b] = apart[b][a] = true;
  }
  std::vector<size_t> by_size(count);
  std::iota(by_size.begin(), by_size.end(), size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](size_t a, size_t b) { return sizes_[a] > sizes_[b]; });
  std::vector<std::vector<size_t>> cliques;
  for (size_t a = 0; a < count; ++a) {
    for (size_t b = a + 1; b < count; ++b) {
      if (!apart[a][b]) continue;
      std::vector<size_t>& clique = cliques.emplace_back(std::vector<size_t>{a, b});
      for (size_t i : by_size) {
        const bool fits = std::all_of(clique.begin(), clique.end(),
                                      [&](size_t member) { return apart[i][member]; });
        if (fits) clique.push_back(i);
      }
      std::sort(clique.begin(), clique.end());
    }
  }
  std::sort(cliques.begin(), cliques.end());
  cliques.erase(std::unique(cliques.begin(), cliques.end()), cliques.end());
  for (const std::vector<size_t>& clique : cliques) {
    Stack& stack = stacks_.emplace_back();
    for (size_t i : clique) stack.push_back({i, 0, sizes_[i]});
  }
}

// The least end of uses that do not overlap and have least begins. They follow one after another in
// the order of their least begins (Jackson's rule), in steps of the smallest alignment if all are
// whole.
int64_t GeneralSearch::StackBound(const Stack& stack, const std::vector<int64_t>& least) const {
  absl::InlinedVector<std::pair<int64_t, int64_t>, 16> uses;
  int64_t alignment = kMaxAlignment;
  for (const Use& use : stack) {
    const int64_t bytes = use.end_byte - use.first_byte;
    const bool whole = bytes == sizes_[use.buffer];
    uses.emplace_back(least[use.buffer] + use.first_byte, bytes);
    alignment = whole ? std::min(alignment, alignments_[use.buffer]) : 1;
  }
  std::sort(uses.begin(), uses.end());
  int64_t end = 0;
  int64_t saved = 0;
  for (const auto& [offset, bytes] : uses) {
    const int64_t stride = RoundUp(bytes, alignment);
    end = Saturated(std::max(end, offset), stride);
    saved = std::max(saved, stride - bytes);
  }
  return end == kFarAbove ? end : end - saved;
}

// Applies that bound from below and from above.
bool GeneralSearch::StackFits(const Stack& stack, const Window& window) {
  if (StackBound(stack, window.least) > capacity_) return false;
  if (stack.size() <= (depth_ < kShallow ? kMaxOrdered : kMaxOrderedDeep)) {
    return SomeOrderFits(stack, window);
  }
  absl::InlinedVector<std::pair<int64_t, int64_t>, 16> uses;
  for (const Use& use : stack) {
    uses.emplace_back(window.most[use.buffer] + use.end_byte, use.end_byte - use.first_byte);
  }
  std::sort(uses.begin(), uses.end(), std::greater<>());
  int64_t begin = capacity_;
  for (const auto& [end, bytes] : uses) begin = std::min(begin, end) - bytes;
  return begin >= 0;
}

// The least end of a use that begins at `end` or later; nullopt if its buffer would be too high.
std::optional<int64_t> GeneralSearch::EndAfter(int64_t end, const Use& use,
                                               const Window& window) const {
  const int64_t most = window.most[use.buffer];
  const int64_t floor = std::max(end - use.first_byte, window.least[use.buffer]);
  if (floor > most) return std::nullopt;
  const int64_t offset = AlignOffset(floor, alignments_[use.buffer], base_offset_);
  if (offset > most) return std::nullopt;
  return offset + use.end_byte;
}

// Tries the uses of a stack in the order of `begin`.
template <class Begin>
bool GeneralSearch::OrderFits(const Stack& stack, const Window& window, const Begin& begin) const {
  absl::InlinedVector<std::pair<int64_t, size_t>, 16> order;
  for (size_t i = 0; i < stack.size(); ++i) order.emplace_back(begin(stack[i]), i);
  std::sort(order.begin(), order.end());
  std::optional<int64_t> end = 0;
  for (const auto& [_, i] : order) {
    end = EndAfter(*end, stack[i], window);
    if (!end) return false;
  }
  return true;
}

// Tries all orders of a stack, subset by subset (Held and Karp 1962), with alignment. Most stacks
// fit in the order of their least or of their largest begins, which is tried first.
bool GeneralSearch::SomeOrderFits(const Stack& stack, const Window& window) {
  const auto least = [&](const Use& use) { return window.least[use.buffer] + use.first_byte; };
  const auto most = [&](const Use& use) { return window.most[use.buffer] + use.first_byte; };
  if (OrderFits(stack, window, least) || OrderFits(stack, window, most)) return true;
  const size_t count = stack.size();
  ends_.assign(size_t{1} << count, INT64_MAX);
  ends_[0] = 0;
  for (size_t set = 0; set + 1 < ends_.size(); ++set) {
    if (ends_[set] == INT64_MAX) continue;
    for (size_t k = 0; k < count; ++k) {
      if ((set >> k & 1) != 0) continue;
      const std::optional<int64_t> after = EndAfter(ends_[set], stack[k], window);
      if (!after) continue;
      int64_t& end = ends_[set | size_t{1} << k];
      end = std::min(end, *after);
    }
  }
  return ends_.back() != INT64_MAX;
}

SearchResult GeneralSearch::Solve(int64_t capacity, int64_t max_tries) {
  capacity_ = capacity;
  tries_left_ = max_tries;
  arcs_.clear();
  trail_.clear();
  depth_ = 0;
  decided_.assign(choices_.size(), false);
  Window window = whole_;
  for (size_t i = 0; i < sizes_.size(); ++i) {
    window.most[i] = std::min(window.most[i], capacity - sizes_[i]);
  }
  return Descend(std::move(window));
}

// Moves both ends of the windows until all choices hold. kNone: they cannot all hold.
SearchResult GeneralSearch::FollowArcs(Window* window) {
  for (size_t i = 0; i < sizes_.size(); ++i) {
    if (window->least[i] > window->most[i]) return SearchResult::kNone;
  }
  for (int round = 0; round < kMaxRounds; ++round) {
    bool changed = false;
    for (const Arc& arc : arcs_) {
      const int64_t least = Saturated(window->least[arc.from], arc.by);
      int64_t& to = window->least[arc.to];
      if (least > window->most[arc.to]) return SearchResult::kNone;
      if (least > to) {
        to = AlignOffset(least, alignments_[arc.to], base_offset_);
        if (to > window->most[arc.to]) return SearchResult::kNone;
        moved_[arc.to] = changed = true;
      }
      const int64_t most = Saturated(window->most[arc.to], arc.by == kFarBelow ? 0 : -arc.by);
      int64_t& from = window->most[arc.from];
      if (most < from) {
        if (most < window->least[arc.from]) return SearchResult::kNone;
        from = most - ((base_offset_ + most) & (alignments_[arc.from] - 1));
        if (from < window->least[arc.from]) return SearchResult::kNone;
        moved_[arc.from] = changed = true;
      }
    }
    if (!changed) return SearchResult::kFound;
  }
  return SearchResult::kStopped;
}

bool GeneralSearch::Possible(const Window& window, const Arc& arc) const {
  return arc.by != kFarAbove && Saturated(window.least[arc.from], arc.by) <= window.most[arc.to];
}

// Takes the only possible side of a choice. False: neither side is possible.
bool GeneralSearch::Force(const Window& window, bool* changed) {
  for (size_t i = 0; i < choices_.size(); ++i) {
    if (decided_[i]) continue;
    const bool low = Possible(window, choices_[i].low);
    const bool high = Possible(window, choices_[i].high);
    if (low && high) continue;
    if (!low && !high) return false;
    decided_[i] = true;
    trail_.push_back(i);
    arcs_.push_back(low ? choices_[i].low : choices_[i].high);
    *changed = true;
  }
  return true;
}

SearchResult GeneralSearch::Settle(Window* window) {
  moved_.assign(sizes_.size(), false);
  for (bool changed = true; changed;) {
    const SearchResult result = FollowArcs(window);
    if (result != SearchResult::kFound) return result;
    changed = false;
    if (!Force(*window, &changed)) return SearchResult::kNone;
  }
  // A stack that fitted before the last choice fits if the choice moved none of its buffers.
  const auto has_moved = [&](const Stack& stack) {
    return depth_ == 0 || std::any_of(stack.begin(), stack.end(),
                                      [&](const Use& use) { return moved_[use.buffer]; });
  };
  const bool fits = std::all_of(stacks_.begin(), stacks_.end(), [&](const Stack& stack) {
    return !has_moved(stack) || StackFits(stack, *window);
  });
  return fits ? SearchResult::kFound : SearchResult::kNone;
}

// Of the choices that the least offsets violate, the one whose smaller move is largest.
size_t GeneralSearch::Choose(const Window& window) const {
  size_t chosen = choices_.size();
  int64_t most = -1;
  for (size_t i = 0; i < choices_.size(); ++i) {
    const Choice& choice = choices_[i];
    const int64_t difference = window.least[choice.high.to] - window.least[choice.high.from];
    if (decided_[i] || difference < choice.first || difference > choice.last) continue;
    const int64_t move = std::min(difference - choice.first, choice.last - difference);
    if (move <= most) continue;
    most = move;
    chosen = i;
  }
  return chosen;
}

SearchResult GeneralSearch::Branch(const Window& window, const Choice& choice, bool low) {
  arcs_.push_back(low ? choice.low : choice.high);
  ++depth_;
  const SearchResult result = Descend(window);
  --depth_;
  arcs_.pop_back();
  return result;
}

SearchResult GeneralSearch::Descend(Window window) {
  const int64_t before = budget_->used();
  if (tries_left_ <= 0 || budget_->Spent()) return SearchResult::kStopped;
  budget_->Take(choices_.size() / kChoicesPerItem);
  tries_left_ -= budget_->used() - before;
  const size_t mark = trail_.size();
  SearchResult result = Settle(&window);
  if (result == SearchResult::kFound) {
    const size_t chosen = Choose(window);
    if (chosen == choices_.size()) {
      offsets_ = window.least;
    } else {
      decided_[chosen] = true;
      const Choice& choice = choices_[chosen];
      const bool low_first = choice.low.by <= choice.high.by;
      result = Branch(window, choice, low_first);
      // If no tries are left, the other side stops at once: this side alone refutes nothing.
      if (result != SearchResult::kFound) {
        const SearchResult other = Branch(window, choice, !low_first);
        if (other != SearchResult::kNone) result = other;
      }
      decided_[chosen] = false;
    }
  }
  for (; trail_.size() > mark; trail_.pop_back()) {
    decided_[trail_.back()] = false;
    arcs_.pop_back();
  }
  return result;
}

}  // namespace tenon::planner
