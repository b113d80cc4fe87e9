#ifndef TENON_TESTS_UNIT_PLANNER_NAIVE_JUDGE_H_
#define TENON_TESTS_UNIT_PLANNER_NAIVE_JUDGE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "planner/problem/problem.h"
#include "tests/unit/planner/random_problem.h"

namespace tenon::planner {

/// Checks the rules of problem.h byte by byte and tick by tick, for problems of RandomProblem. Does
/// not check bounds and pool sizes.
class NaiveJudge {
 public:
  NaiveJudge(const Problem& problem, const std::vector<Placement>& placements)
      : problem_(problem), placements_(placements) {}

  bool Accepts() const {
    const auto count = static_cast<int32_t>(problem_.buffers.size());
    for (int32_t i = 0; i < count; ++i) {
      if (!PlacedWell(i)) return false;
    }
    for (int32_t a = 0; a < count; ++a) {
      for (int32_t b = a + 1; b < count; ++b) {
        if (!PairIsWell(a, b)) return false;
      }
    }
    return true;
  }

 private:
  bool PlacedWell(int32_t i) const {
    const Buffer& buffer = problem_.buffers[Index(i)];
    const Placement& at = placements_[Index(i)];
    if (std::count(buffer.pools.begin(), buffer.pools.end(), at.pool) == 0) return false;
    const Pool& pool = problem_.pools[Index(at.pool)];
    if (at.offset < 0 || (buffer.fixed_offset && at.offset != *buffer.fixed_offset)) return false;
    if (pool.capacity >= 0 && at.offset + buffer.size > pool.capacity) return false;
    const int64_t address = at.offset + pool.base_offset;
    return address % buffer.alignment == 0 && address % pool.alignment == 0;
  }

  bool Uses(int32_t i, int64_t time, int64_t byte) const {
    const Buffer& buffer = problem_.buffers[Index(i)];
    const int64_t own = byte - placements_[Index(i)].offset;
    if (own < 0 || own >= buffer.size) return false;
    if (buffer.kind == BufferKind::kConstant) return true;
    for (const GapWindow& gap : buffer.gaps) {
      if (time < gap.lower || time >= gap.upper) continue;
      return own >= gap.first_byte && own < gap.end_byte;
    }
    return std::any_of(buffer.lifetimes.begin(), buffer.lifetimes.end(), [&](const Lifetime& life) {
      return life.lower <= time && time < life.upper;
    });
  }

  bool EverTogether(int32_t a, int32_t b) const {
    const Buffer& x = problem_.buffers[Index(a)];
    const Buffer& y = problem_.buffers[Index(b)];
    if (x.kind == BufferKind::kConstant || y.kind == BufferKind::kConstant) return true;
    return x.groups.empty() || y.groups.empty() || x.groups == y.groups;
  }

  bool ShareAByte(int32_t a, int32_t b) const {
    const int64_t begin = std::max(placements_[Index(a)].offset, placements_[Index(b)].offset);
    const int64_t end = std::min(placements_[Index(a)].offset + problem_.buffers[Index(a)].size,
                                 placements_[Index(b)].offset + problem_.buffers[Index(b)].size);
    for (int64_t byte = begin; byte < end; ++byte) {
      for (int64_t time = 0; time < kLastTime; ++time) {
        if (Uses(a, time, byte) && Uses(b, time, byte)) return true;
      }
    }
    return false;
  }

  bool RelationHolds(const Relation& relation) const {
    const Placement& a = placements_[Index(relation.a)];
    const Placement& b = placements_[Index(relation.b)];
    if (a.pool != b.pool) return !relation.same_pool;
    if (relation.kind == RelationKind::kMayShare) return true;
    if (relation.kind == RelationKind::kDisjoint) {
      return std::max(a.offset, b.offset) >=
             std::min(a.offset + problem_.buffers[Index(relation.a)].size,
                      b.offset + problem_.buffers[Index(relation.b)].size);
    }
    return std::any_of(
        relation.allowed.begin(), relation.allowed.end(), [&](const DifferenceRange& range) {
          return range.first <= b.offset - a.offset && b.offset - a.offset <= range.last;
        });
  }

  bool PairIsWell(int32_t a, int32_t b) const {
    for (const Relation& relation : problem_.relations) {
      if (std::minmax(relation.a, relation.b) == std::minmax(a, b)) return RelationHolds(relation);
    }
    return placements_[Index(a)].pool != placements_[Index(b)].pool || !EverTogether(a, b) ||
           !ShareAByte(a, b);
  }

  const Problem& problem_;
  const std::vector<Placement>& placements_;
};

}  // namespace tenon::planner

#endif  // TENON_TESTS_UNIT_PLANNER_NAIVE_JUDGE_H_
