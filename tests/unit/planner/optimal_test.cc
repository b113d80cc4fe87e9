// The exact search: equals an exhaustive search on small problems, is fast on the corpus's hard
// problems, and never claims more than it has proven. TENON_OPTIMAL_ROUNDS sets the number of
// problems.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/planner/exhaustive.h"
#include "tests/unit/planner/problems.h"
#include "tests/unit/planner/random_problem.h"

namespace tenon::planner {
namespace {

using ::testing::HasSubstr;

uint32_t Rounds() {
  const char* rounds = std::getenv("TENON_OPTIMAL_ROUNDS");
  return rounds == nullptr ? 1500 : static_cast<uint32_t>(std::atoi(rounds));
}

// Rarely all at once: relations and windows leave little for the other traits to test.
RandomTraits Traits(uint32_t seed) {
  RandomTraits traits;
  traits.buffers = 2 + static_cast<int32_t>(seed % 11);
  traits.max_size = 1 + seed / 11 % 7;
  const uint32_t kind = seed / 77 % 16;
  traits.gaps = (kind & 1) != 0;
  traits.relations = (kind & 2) != 0;
  traits.holes = (kind & 5) == 4;
  traits.constants = (kind & 12) == 12;
  traits.fixed = (kind & 12) == 8;
  traits.groups = kind == 7 || kind == 9;
  return traits;
}

TEST(OptimalTest, EqualsExhaustiveSearch) {
  int searched = 0;
  int on_trust = 0;
  int infeasible = 0;
  const uint32_t rounds = Rounds();
  for (uint32_t seed = 0; seed < rounds; ++seed) {
    RandomProblem random(seed);
    Problem problem = random.Make(Traits(seed));
    if (seed % 3 == 0) problem.pools[0].capacity = random.Draw(4, 24);
    const int64_t capacity = EffectiveCapacity(problem.pools[0]);
    const auto least = Exhaustive(problem).LeastSize(std::min<int64_t>(capacity, 64));
    // Minimization needs an unlimited pool; the other problems are decision problems.
    const auto plan = PlanMemory(problem, "optimal", {.explain = false});
    if (!least) {
      if (capacity <= 64) {
        ASSERT_TRUE(IsProvenInfeasible(plan.status())) << seed << plan.status();
        ++infeasible;
      }
      continue;
    }
    ASSERT_TRUE(plan.ok()) << seed << " " << plan.status();
    const PoolPlan& pool = plan->pools[0];
    ASSERT_TRUE(NaiveJudge(problem, plan->placements).Accepts()) << seed;
    ASSERT_LE(pool.lower_bound.bytes, *least) << seed;
    ASSERT_GE(pool.size, *least) << seed;
    if (problem.pools[0].capacity != kUnlimited) continue;
    ASSERT_EQ(pool.size, *least) << seed;
    ASSERT_TRUE(plan->proven_optimal) << seed;
    on_trust += CheckPlan(problem, *plan).on_trust;
    searched += pool.lower_bound.kind == BoundKind::kSearch ? 1 : 0;
  }
  EXPECT_LE(on_trust, searched / 10);
  EXPECT_GT(searched, static_cast<int>(rounds / 50));
  EXPECT_GT(infeasible, static_cast<int>(rounds / 50));
}

// A rectangle of time and bytes that is cut into shuffled pieces: only the reassembled rectangle
// meets the bound, which takes a long search.
Problem CutRectangle(size_t count) {
  struct Piece {
    int64_t first;
    int64_t end;
    int64_t size;
    int64_t Area() const { return (end - first) * size; }
  };
  RandomProblem random(1);
  std::vector<Piece> pieces = {{0, 10000, 1 << 24}};
  while (pieces.size() < count) {
    const auto largest =
        std::max_element(pieces.begin(), pieces.end(),
                         [](const Piece& a, const Piece& b) { return a.Area() < b.Area(); });
    const auto index = static_cast<size_t>(largest - pieces.begin());
    const Piece piece = *largest;
    const int64_t part = random.Draw(200, 800);
    pieces.push_back(piece);
    Piece& one = pieces[index];
    if (random.Draw(0, 1) == 0) {
      one.end = pieces.back().first = piece.first + (piece.end - piece.first) * part / 1000;
    } else {
      one.size = piece.size * part / 1000;
      pieces.back().size = piece.size - one.size;
    }
  }
  Problem problem;
  problem.pools = {MakePool("pool")};
  for (const Piece& piece : pieces) {
    problem.buffers.push_back(LiveBuffer("piece", piece.size, piece.first, piece.end - 1));
  }
  return problem;
}

TEST(OptimalTest, PutsARectangleTogether) {
  const auto plan = PlanMemory(CutRectangle(120), "optimal");
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->pools[0].size, 1 << 24);
  EXPECT_TRUE(plan->proven_optimal);
}

TEST(OptimalTest, TheNodeLimitDecidesThePlan) {
  const Problem problem = CutRectangle(1200);
  const auto few = PlanMemory(problem, "optimal", {.node_limit = 5000});
  const auto again = PlanMemory(problem, "optimal", {.node_limit = 5000});
  const auto more = PlanMemory(problem, "optimal", {.node_limit = 300'000});
  ASSERT_TRUE(few.ok() && again.ok() && more.ok());
  EXPECT_FALSE(few->proven_optimal);
  EXPECT_EQ(few->placements, again->placements);
  EXPECT_LE(more->pools[0].size, few->pools[0].size);
}

// Tries are slow for buffers with several lifetimes, and first-fit may find the smallest plan
// immediately.
TEST(OptimalTest, OtherAlgorithmsFollowFewSlowTries) {
  // A size and its lifetimes; none for a constant.
  struct Row {
    int64_t size;
    std::vector<Lifetime> lives;
  };
  const std::vector<Row> rows = {
      {24, {{15, 22}}},
      {8, {{24, 26}}},
      {8, {{36, 164}, {168, 172}}},
      {4, {{35, 90}}},
      {8, {{34, 175}}},
      {4, {{47, 59}, {121, 133}}},
      {4, {{52, 57}, {126, 131}}},
      {64, {{60, 72}, {134, 146}}},
      {4, {{74, 90}, {148, 164}}},
      {48, {{103, 104}, {107, 108}}},
      {16, {}},
      {32, {}},
      {4, {{182, 240}}},
      {128, {{177, 240}}},
      {17, {{186, 220}}},
      {4, {{190, 220}}},
      {4, {{194, 218}}},
      {24, {{198, 215}}},
      {48, {{208, 209}, {212, 213}}},
      {192, {{247, 248}}},
  };
  Problem problem;
  problem.pools = {MakePool("pool")};
  for (const Row& row : rows) {
    Buffer& buffer = problem.buffers.emplace_back();
    buffer.name = std::to_string(problem.buffers.size());
    buffer.size = row.size;
    buffer.alignment = 16;
    buffer.lifetimes = {row.lives.begin(), row.lives.end()};
    buffer.pools = {0};
    if (row.lives.empty()) buffer.kind = BufferKind::kConstant;
  }
  const auto first_fit = PlanMemory(problem, "first_fit");
  ASSERT_TRUE(first_fit.ok() && first_fit->proven_optimal);
  // The callback is called once per 1024 tries.
  int asked = 0;
  PlanOptions options;
  options.stop = [&] {
    ++asked;
    return false;
  };
  const auto plan = PlanMemory(problem, "optimal", options);
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(plan->proven_optimal);
  EXPECT_LT(asked, 400);
}

TEST(OptimalTest, StopsWhenTold) {
  const Problem problem = CutRectangle(1200);
  int asked = 0;
  PlanOptions options;
  options.node_limit = INT64_MAX;
  options.stop = [&] { return ++asked == 3; };
  EXPECT_TRUE(PlanMemory(problem, "optimal", options).ok());
  EXPECT_EQ(asked, 3);
  options.stop = nullptr;
  options.time_limit = 0;
  EXPECT_TRUE(PlanMemory(problem, "optimal", options).ok());
}

TEST(OptimalTest, TellsOfProgress) {
  std::vector<std::pair<int64_t, int64_t>> told;
  PlanOptions options;
  options.progress = [&](int64_t size, int64_t bound) { told.emplace_back(size, bound); };
  const auto plan = PlanMemory(CutRectangle(120), "optimal", options);
  ASSERT_TRUE(plan.ok());
  ASSERT_FALSE(told.empty());
  for (size_t i = 1; i < told.size(); ++i) {
    EXPECT_LE(told[i].first, told[i - 1].first);
    EXPECT_GE(told[i].second, told[i - 1].second);
  }
  EXPECT_EQ(told.back().first, plan->pools[0].size);
  EXPECT_EQ(told.back().second, plan->pools[0].lower_bound.bytes);
}

TEST(OptimalTest, ASearchThatIsCutOffDecidesNothing) {
  Problem problem = CutRectangle(1200);
  problem.pools[0].capacity = 1 << 24;
  const auto plan = PlanMemory(problem, "optimal", {.node_limit = 5000});
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(IsProvenInfeasible(plan.status()));
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("optimal found no room for"));
}

TEST(OptimalTest, ManyThatLiveTogetherArePiledUp) {
  Problem problem = IntervalProblem(std::vector<IntervalRow>(20'000, {0, 9, 60}), 16);
  problem.pools[0].base_offset = 8;
  const auto plan = PlanMemory(problem, "optimal");
  EXPECT_THAT(PoolSizes(plan), ::testing::ElementsAre(8 + 19'999 * 64 + 60));
  EXPECT_TRUE(plan->proven_optimal);
}

TEST(OptimalTest, EveryPoolIsSearched) {
  Problem problem;
  problem.pools = {MakePool("one"), MakePool("two")};
  for (int32_t pool : {0, 1}) {
    for (int64_t size : {5, 5, 1}) {
      problem.buffers.push_back(LiveBuffer("b", size + pool, 0, 3, size == 1 ? 1 : 4));
      problem.buffers.back().pools = {pool};
    }
  }
  const auto plan = PlanMemory(problem, "optimal");
  EXPECT_THAT(PoolSizes(plan), ::testing::ElementsAre(13, 14));
  EXPECT_TRUE(plan->proven_optimal);
  problem.pools[1].capacity = 13;
  const auto none = PlanMemory(problem, "optimal");
  EXPECT_TRUE(IsProvenInfeasible(none.status()));
  EXPECT_THAT(std::string(none.status().message()),
              HasSubstr("pool `two` has 13 bytes, but needs at least 14 (1 more)"));
}

}  // namespace
}  // namespace tenon::planner
