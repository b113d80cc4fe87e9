#ifndef TENON_TESTS_UNIT_PLANNER_LAWS_H_
#define TENON_TESTS_UNIT_PLANNER_LAWS_H_

// Random planning problems with several distributions of sizes and lifetimes, the same on every
// machine.

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "planner/problem/problem.h"

namespace tenon::planner {

/// One pool with `count` buffers, which have one lifetime each.
class LawProblem {
 public:
  static constexpr std::array<std::string_view, 6> kLaws = {"uniform", "giants", "bursts",
                                                            "nested",  "tails",  "crowd"};

  explicit LawProblem(uint32_t seed) : random_(seed) {}

  Problem Make(std::string_view law, int64_t count) {
    Problem problem;
    problem.pools.emplace_back().name = "pool";
    for (int64_t i = 0; i < count; ++i) {
      if (law == "uniform") AddBuffer(problem, Any(count), 16 * Draw(1, 256));
      // One in fifty is a thousand times as large as the others.
      if (law == "giants") AddBuffer(problem, Any(count), 64 * Draw(1, 64) * (i % 50 ? 1 : 1000));
      if (law == "bursts") AddBuffer(problem, Burst(count), 16 * Tail(3));
      if (law == "nested") AddNested(problem);
      if (law == "tails") AddBuffer(problem, From(Draw(0, count), 2 * Tail(20)), 16 * Tail(20));
      // Thousands of different sizes are live at the same time.
      if (law == "crowd") {
        AddBuffer(problem, From(Draw(0, count), Draw(count / 10, count * 2 / 5)), 8 * Tail(6));
      }
    }
    return problem;
  }

 private:
  int64_t Draw(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }

  // A heavy-tailed size: each further doubling has a fixed probability, set by `weight`.
  int64_t Tail(int64_t weight) {
    int64_t most = 64;
    while (most < (int64_t{1} << 24) && Draw(0, 19) < weight * 3 / 4) most *= 2;
    return Draw(most / 2, most);
  }

  static Lifetime From(int64_t lower, int64_t length) { return {lower, lower + length}; }

  Lifetime Any(int64_t count) {
    const auto [lower, upper] = std::minmax({Draw(0, count), Draw(0, count)});
    return {lower, upper + 1};
  }

  // A lifetime that begins with a phase; one in ten outlives the phase.
  Lifetime Burst(int64_t count) {
    const int64_t phase = std::max<int64_t>(count / 20, 10);
    const int64_t lower = Draw(0, 19) * phase + Draw(0, phase / 10);
    return From(lower, Draw(1, Draw(0, 9) == 0 ? 3 * phase : phase));
  }

  // Nested calls: lifetimes are nested or disjoint.
  void AddNested(Problem& problem) {
    Lifetime life = {0, int64_t{1} << 30};
    const int64_t depth = Draw(1, 12);
    for (int64_t i = 0; i < depth; ++i) {
      const int64_t eighth = (life.upper - life.lower) / 8;
      const int64_t middle = life.lower + eighth * (1 + (life.lower / 1021 + life.upper) % 7);
      (Draw(0, 1) == 0 ? life.upper : life.lower) = middle;
    }
    AddBuffer(problem, life, 16 * Tail(14 - depth));
  }

  static void AddBuffer(Problem& problem, Lifetime life, int64_t size) {
    Buffer& buffer = problem.buffers.emplace_back();
    buffer.name = std::to_string(problem.buffers.size());
    buffer.size = size;
    buffer.lifetimes = {life};
    buffer.pools = {0};
  }

  std::mt19937 random_;
};

}  // namespace tenon::planner

#endif  // TENON_TESTS_UNIT_PLANNER_LAWS_H_
