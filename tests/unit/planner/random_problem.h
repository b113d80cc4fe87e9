#ifndef TENON_TESTS_UNIT_PLANNER_RANDOM_PROBLEM_H_
#define TENON_TESTS_UNIT_PLANNER_RANDOM_PROBLEM_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>

#include "planner/problem/problem.h"
#include "tests/unit/support/nightly.h"

namespace tenon::planner {

/// Times of random problems are 0 to kLastTime - 1, so that tests can check every one.
inline constexpr int64_t kLastTime = 12;

/// The number of seeds of a test: `quick`, or five times as many in the nightly run.
inline uint32_t Seeds(uint32_t quick) { return IsNightly() ? 5 * quick : quick; }

/// The limits and features of a random problem.
struct RandomTraits {
  int32_t buffers = 6;
  int64_t max_size = 9;
  int32_t pools = 1;
  bool holes = false;
  bool gaps = false;
  bool groups = false;
  bool relations = false;
  bool constants = false;
  bool fixed = false;
};

/// Small problems with all features of the types, from a seed.
class RandomProblem {
 public:
  explicit RandomProblem(uint32_t seed) : random_(seed) {}

  Problem Make(const RandomTraits& traits) {
    Problem problem;
    for (int32_t p = 0; p < traits.pools; ++p) {
      Pool pool;
      pool.name = "pool" + std::to_string(p);
      if (p + 1 < traits.pools) pool.capacity = Draw(0, 30);
      pool.alignment = int64_t{1} << Draw(0, 2);
      pool.base_offset = Draw(0, 3);
      problem.pools.push_back(std::move(pool));
    }
    for (int32_t i = 0; i < traits.buffers; ++i) problem.buffers.push_back(MakeBuffer(traits, i));
    if (traits.relations) AddRelations(&problem);
    if (traits.fixed) Fix(&problem);
    return problem;
  }

  int64_t Draw(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }

 private:
  Buffer MakeBuffer(const RandomTraits& traits, int32_t number) {
    Buffer buffer;
    buffer.name = "b" + std::to_string(number);
    buffer.size = Draw(0, traits.max_size);
    buffer.alignment = int64_t{1} << Draw(0, 3);
    const int64_t lower = Draw(0, kLastTime - 1);
    const int64_t upper = Draw(lower, kLastTime);
    const int64_t middle = Draw(lower, upper);
    if (traits.holes && Draw(0, 1) == 0) {
      buffer.lifetimes = {{lower, middle}, {Draw(middle, upper), upper}};
    } else {
      buffer.lifetimes = {{lower, upper}};
      if (traits.gaps && Draw(0, 1) == 0) AddGap(middle, upper, &buffer);
    }
    if (traits.constants && Draw(0, 3) == 0) buffer.kind = BufferKind::kConstant;
    if (traits.groups && Draw(0, 2) > 0) buffer.groups = {static_cast<int32_t>(Draw(0, 2))};
    for (int32_t p = 0; p < traits.pools; ++p) buffer.pools.push_back(p);
    if (traits.pools > 1 && Draw(0, 1) == 0) std::swap(buffer.pools.front(), buffer.pools.back());
    return buffer;
  }

  void AddGap(int64_t lower, int64_t upper, Buffer* buffer) {
    const int64_t first = Draw(0, buffer->size);
    buffer->gaps = {{lower, Draw(lower, upper), first, Draw(first, buffer->size)}};
  }

  void AddRelations(Problem* problem) {
    const auto count = static_cast<int32_t>(problem->buffers.size());
    for (int32_t a = 0; a < count; ++a) {
      const auto b = static_cast<int32_t>(Draw(0, count - 1));
      if (b <= a) continue;
      Relation relation;
      relation.a = Draw(0, 1) == 0 ? a : b;
      relation.b = relation.a == a ? b : a;
      relation.kind = static_cast<RelationKind>(Draw(0, 2));
      relation.same_pool = Draw(0, 5) == 0;
      if (relation.kind == RelationKind::kOffsetDifference) {
        const int64_t first = Draw(-6, 6);
        relation.allowed = {{first, Draw(first, 8)}, {Draw(10, 12), INT64_MAX}};
        if (Draw(0, 1) == 0) relation.allowed.push_back({INT64_MIN, -12});
      }
      problem->relations.push_back(std::move(relation));
    }
  }

  void Fix(Problem* problem) {
    Buffer& buffer =
        problem->buffers[Index(Draw(0, static_cast<int64_t>(problem->buffers.size()) - 1))];
    buffer.fixed_offset = Draw(0, 20);
  }

  std::mt19937 random_;
};

}  // namespace tenon::planner

#endif  // TENON_TESTS_UNIT_PLANNER_RANDOM_PROBLEM_H_
