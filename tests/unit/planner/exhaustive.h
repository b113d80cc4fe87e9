#ifndef TENON_TESTS_UNIT_PLANNER_EXHAUSTIVE_H_
#define TENON_TESTS_UNIT_PLANNER_EXHAUSTIVE_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "planner/problem/problem.h"
#include "tests/unit/planner/naive_judge.h"

namespace tenon::planner {

/// Finds the least size of the only pool by trying every offset up to kLast for every buffer.
/// NaiveJudge checks pairs byte by byte, once for every difference of offsets; sets of offsets are
/// bits of a word.
class Exhaustive {
 public:
  static constexpr int64_t kLast = 63;

  explicit Exhaustive(const Problem& problem) : problem_(problem) {
    const auto count = static_cast<int32_t>(problem.buffers.size());
    allowed_.resize(Index(count) * Index(count));
    for (int32_t a = 0; a < count; ++a) {
      for (int32_t b = 0; b < count; ++b) {
        if (a != b) JudgePair(a, b);
      }
    }
  }

  /// Nullopt if no plan fits `capacity`, which is at most kLast + 1.
  std::optional<int64_t> LeastSize(int64_t capacity) {
    for (int64_t size = 0; size <= capacity; ++size) {
      if (Fits(size)) return size;
    }
    return std::nullopt;
  }

 private:
  // Checks only two buffers, without the restrictions of their own offsets and addresses.
  void JudgePair(int32_t a, int32_t b) {
    Problem pair;
    pair.pools = {Pool{}};
    for (int32_t i : {a, b}) {
      pair.buffers.push_back(problem_.buffers[Index(i)]);
      pair.buffers.back().alignment = 1;
      pair.buffers.back().fixed_offset.reset();
      pair.buffers.back().pools = {0};
    }
    for (Relation relation : problem_.relations) {
      if (std::minmax(relation.a, relation.b) != std::minmax(a, b)) continue;
      relation.a = relation.a == a ? 0 : 1;
      relation.b = 1 - relation.a;
      pair.relations.push_back(relation);
    }
    std::vector<uint64_t>& allowed = allowed_[Index(a) * problem_.buffers.size() + Index(b)];
    for (int64_t from = 0; from <= kLast; ++from) {
      uint64_t word = 0;
      for (int64_t to = 0; to <= kLast; ++to) {
        const bool reach = from == 0 || to == 0;
        const bool right =
            reach ? Judge(pair, from, to) : (allowed[Index(from - 1)] >> (to - 1) & 1) != 0;
        if (right) word |= uint64_t{1} << to;
      }
      allowed.push_back(word);
    }
  }

  static bool Judge(const Problem& pair, int64_t a, int64_t b) {
    const std::vector<Placement> placements = {{0, a}, {0, b}};
    return NaiveJudge(pair, placements).Accepts();
  }

  bool Fits(int64_t size) {
    std::vector<uint64_t> domains;
    const Pool& pool = problem_.pools[0];
    for (const Buffer& buffer : problem_.buffers) {
      uint64_t domain = 0;
      for (int64_t offset = 0; offset <= std::min(kLast, size - buffer.size); ++offset) {
        const int64_t address = pool.base_offset + offset;
        if (address % buffer.alignment != 0 || address % pool.alignment != 0) continue;
        if (buffer.fixed_offset && *buffer.fixed_offset != offset) continue;
        domain |= uint64_t{1} << offset;
      }
      if (domain == 0) return false;
      domains.push_back(domain);
    }
    return Place(domains, 0);
  }

  // Places the buffer with the fewest remaining offsets first.
  bool Place(const std::vector<uint64_t>& domains, uint64_t placed) {
    const size_t count = domains.size();
    size_t next = count;
    for (size_t i = 0; i < count; ++i) {
      if ((placed >> i & 1) != 0) continue;
      if (next == count || std::popcount(domains[i]) < std::popcount(domains[next])) next = i;
    }
    if (next == count) return true;
    for (uint64_t left = domains[next]; left != 0; left &= left - 1) {
      std::vector<uint64_t> narrowed = domains;
      bool possible = true;
      for (size_t i = 0; i < count && possible; ++i) {
        if (i == next || (placed >> i & 1) != 0) continue;
        narrowed[i] &= allowed_[next * count + i][Index(std::countr_zero(left))];
        possible = narrowed[i] != 0;
      }
      if (possible && Place(narrowed, placed | uint64_t{1} << next)) return true;
    }
    return false;
  }

  const Problem& problem_;
  // [a * count + b][offset of a]: the offsets that b may have.
  std::vector<std::vector<uint64_t>> allowed_;
};

}  // namespace tenon::planner

#endif  // TENON_TESTS_UNIT_PLANNER_EXHAUSTIVE_H_
