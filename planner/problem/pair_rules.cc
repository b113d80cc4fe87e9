#include "planner/problem/pair_rules.h"

#include <algorithm>

namespace tenon::planner {

PairRules::PairRules(const Problem& problem) : problem_(problem) {
  first_piece_.reserve(problem.buffers.size() + 1);
  for (const Buffer& buffer : problem.buffers) {
    first_piece_.push_back(pieces_.size());
    AddPieces(buffer);
  }
  first_piece_.push_back(pieces_.size());
  related_.resize(problem.buffers.size());
  for (size_t i = 0; i < problem.relations.size(); ++i) {
    const Relation& relation = problem.relations[i];
    relations_[std::minmax(relation.a, relation.b)] = static_cast<int32_t>(i);
    related_[Index(relation.a)].push_back(relation.b);
    related_[Index(relation.b)].push_back(relation.a);
  }
  for (std::vector<int32_t>& list : related_) std::sort(list.begin(), list.end());
}

void PairRules::AddPieces(const Buffer& buffer) {
  if (buffer.size == 0) return;
  if (buffer.kind == BufferKind::kConstant) {
    pieces_.push_back({INT64_MIN, INT64_MAX, 0, buffer.size});
    return;
  }
  auto add = [&](int64_t lower, int64_t upper, int64_t first_byte, int64_t end_byte) {
    if (lower < upper && first_byte < end_byte) {
      pieces_.push_back({lower, upper, first_byte, end_byte});
    }
  };
  size_t gap = 0;
  for (const Lifetime& life : buffer.lifetimes) {
    int64_t time = life.lower;
    for (; gap < buffer.gaps.size() && buffer.gaps[gap].upper <= life.upper; ++gap) {
      const GapWindow& window = buffer.gaps[gap];
      add(time, window.lower, 0, buffer.size);
      add(window.lower, window.upper, window.first_byte, window.end_byte);
      time = window.upper;
    }
    add(time, life.upper, 0, buffer.size);
  }
}

const Relation* PairRules::FindRelation(int32_t a, int32_t b) const {
  if (related_[Index(a)].empty() || related_[Index(b)].empty()) return nullptr;
  auto it = relations_.find(std::minmax(a, b));
  return it == relations_.end() ? nullptr : &problem_.relations[Index(it->second)];
}

bool PairRules::ShareGroup(int32_t a, int32_t b) const {
  const Buffer& x = problem_.buffers[Index(a)];
  const Buffer& y = problem_.buffers[Index(b)];
  if (x.groups.empty() || y.groups.empty()) return true;
  if (x.kind == BufferKind::kConstant || y.kind == BufferKind::kConstant) return true;
  return std::any_of(x.groups.begin(), x.groups.end(), [&](int32_t group) {
    return std::find(y.groups.begin(), y.groups.end(), group) != y.groups.end();
  });
}

void PairRules::AddRelation(const Relation& relation, bool reversed,
                            std::vector<DifferenceRange>* out) const {
  std::vector<DifferenceRange> allowed = relation.allowed;
  std::sort(allowed.begin(), allowed.end(),
            [](const DifferenceRange& x, const DifferenceRange& y) { return x.first < y.first; });
  const size_t begin = out->size();
  int64_t next = kFarBelow;
  bool open_above = true;
  for (const DifferenceRange& range : allowed) {
    if (range.first > next) out->push_back({next, range.first - 1});
    if (range.last == kFarAbove) {
      open_above = false;
      break;
    }
    next = std::max(next, range.last + 1);
  }
  if (open_above) out->push_back({next, kFarAbove});
  if (!reversed) return;
  auto negate = [](int64_t x) {
    return x == kFarBelow ? kFarAbove : x == kFarAbove ? kFarBelow : -x;
  };
  for (size_t i = begin; i < out->size(); ++i) {
    (*out)[i] = {negate((*out)[i].last), negate((*out)[i].first)};
  }
}

void PairRules::AddLifetimes(int32_t a, int32_t b, std::vector<DifferenceRange>* out) const {
  const std::span<const UsePiece> x = Pieces(a);
  const std::span<const UsePiece> y = Pieces(b);
  const DifferenceRange all = {-problem_.buffers[Index(b)].size + 1,
                               problem_.buffers[Index(a)].size - 1};
  size_t i = 0;
  size_t j = 0;
  while (i < x.size() && j < y.size()) {
    if (x[i].lower < y[j].upper && y[j].lower < x[i].upper) {
      const DifferenceRange range = {x[i].first_byte - y[j].end_byte + 1,
                                     x[i].end_byte - y[j].first_byte - 1};
      out->push_back(range);
      if (range == all) return;
    }
    if (x[i].upper < y[j].upper) {
      ++i;
    } else {
      ++j;
    }
  }
}

void PairRules::AddForbidden(int32_t a, int32_t b, std::vector<DifferenceRange>* out) const {
  const Relation* relation = FindRelation(a, b);
  if (relation != nullptr) {
    if (relation->kind == RelationKind::kMayShare) return;
    if (relation->kind == RelationKind::kOffsetDifference) {
      AddRelation(*relation, relation->a != a, out);
      return;
    }
    const int64_t size_a = problem_.buffers[Index(a)].size;
    const int64_t size_b = problem_.buffers[Index(b)].size;
    if (size_a > 0 && size_b > 0) out->push_back({-size_b + 1, size_a - 1});
    return;
  }
  const std::span<const UsePiece> x = Pieces(a);
  const std::span<const UsePiece> y = Pieces(b);
  if (x.empty() || y.empty()) return;
  if (x.back().upper <= y.front().lower || y.back().upper <= x.front().lower) return;
  if (ShareGroup(a, b)) AddLifetimes(a, b, out);
}

bool PairRules::Conflict(int32_t a, int32_t b) const {
  std::vector<DifferenceRange> ranges;
  AddForbidden(a, b, &ranges);
  return !ranges.empty();
}

bool PairRules::AllowsApart(int32_t a, int32_t b) const {
  std::vector<DifferenceRange> ranges;
  AddForbidden(a, b, &ranges);
  const int64_t size_a = problem_.buffers[Index(a)].size;
  const int64_t size_b = problem_.buffers[Index(b)].size;
  return std::all_of(ranges.begin(), ranges.end(), [&](const DifferenceRange& range) {
    return range.first > -size_b && range.last < size_a;
  });
}

}  // namespace tenon::planner
