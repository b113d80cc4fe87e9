// The exact search for general rules. A search that runs out of tries refutes nothing, and the size
// of small problems equals that of the best order of their buffers.

#include "planner/exact/general_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

#include "planner/planner.h"
#include "planner/problem/pair_rules.h"
#include "tests/unit/planner/problems.h"
#include "tests/unit/planner/random_problem.h"
#include "tests/unit/support/nightly.h"

namespace tenon::planner {
namespace {

std::vector<int32_t> AllBuffers(const Problem& problem) {
  std::vector<int32_t> all(problem.buffers.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

SearchResult Search(const Problem& problem, int64_t capacity, int64_t tries) {
  const PairRules rules(problem);
  PlanOptions options;
  options.node_limit = INT64_MAX;
  SearchBudget budget(options);
  return GeneralSearch(problem, rules, 0, AllBuffers(problem), &budget).Solve(capacity, tries);
}

Buffer Aligned(int64_t size, std::initializer_list<Lifetime> lifetimes) {
  Buffer buffer = LiveBuffer("b", size, 0, 0, 16);
  buffer.lifetimes = lifetimes;
  return buffer;
}

Buffer AlignedConstant(int64_t size) {
  Buffer buffer = Aligned(size, {});
  buffer.kind = BufferKind::kConstant;
  return buffer;
}

// Only plans with the 17 bytes on top take 321 bytes, and most orders put another buffer there.
Problem OddOneOnTop() {
  Problem problem;
  problem.pools = {MakePool("pool")};
  problem.buffers = {
      Aligned(24, {{15, 22}}),
      Aligned(8, {{34, 175}}),
      Aligned(4, {{47, 59}, {121, 133}}),
      Aligned(4, {{52, 57}, {126, 131}}),
      Aligned(64, {{60, 72}, {134, 146}}),
      Aligned(4, {{74, 90}, {148, 164}}),
      Aligned(48, {{103, 104}, {107, 108}}),
      AlignedConstant(16),
      AlignedConstant(32),
      Aligned(4, {{182, 240}}),
      Aligned(128, {{177, 240}}),
      Aligned(17, {{186, 220}}),
      Aligned(4, {{190, 220}}),
      Aligned(4, {{194, 218}}),
      Aligned(24, {{198, 215}}),
      Aligned(48, {{208, 209}, {212, 213}}),
  };
  return problem;
}

TEST(GeneralSearchTest, OutOfTriesRefutesNothing) {
  const Problem problem = OddOneOnTop();
  for (int64_t tries = 1; tries < 60; ++tries) {
    EXPECT_NE(Search(problem, 321, tries), SearchResult::kNone) << tries;
    EXPECT_NE(Search(problem, 323, tries), SearchResult::kNone) << tries;
  }
  EXPECT_EQ(Search(problem, 320, 60), SearchResult::kNone);
}

// The offsets that the search finds; empty if it finds none.
std::vector<int64_t> FoundOffsets(const Problem& problem, int64_t capacity) {
  const PairRules rules(problem);
  const PlanOptions options;
  SearchBudget budget(options);
  GeneralSearch search(problem, rules, 0, AllBuffers(problem), &budget);
  if (search.Solve(capacity, 10'000) != SearchResult::kFound) return {};
  return search.offsets();
}

TEST(GeneralSearchTest, ASingleForbiddenDifferenceCounts) {
  // Two buffers of a byte may only not be at the same place.
  const Problem bytes = IntervalProblem({{0, 9, 1}, {0, 9, 1}});
  EXPECT_THAT(FoundOffsets(bytes, 2), testing::UnorderedElementsAre(0, 1));
  EXPECT_THAT(FoundOffsets(bytes, 1), testing::IsEmpty());
  // The two may be anywhere, but not 4 bytes apart; the first one is at 3 and the other one at 7.
  Problem apart = IntervalProblem({{0, 4, 1}, {5, 9, 1}});
  apart.relations = {{.kind = RelationKind::kOffsetDifference,
                      .a = 0,
                      .b = 1,
                      .allowed = {{INT64_MIN, 3}, {5, INT64_MAX}}}};
  apart.buffers[0].fixed_offset = 3;
  apart.buffers[1].fixed_offset = 7;
  EXPECT_THAT(FoundOffsets(apart, 100), testing::IsEmpty());
  apart.buffers[1].fixed_offset = 8;
  EXPECT_THAT(FoundOffsets(apart, 100), testing::ElementsAre(3, 8));
}

TEST(GeneralSearchTest, FixedOffsetsAndStacksBoundTheSizeBeforeTheSearch) {
  const auto lower = [](const Problem& problem) {
    const PairRules rules(problem);
    const PlanOptions options;
    SearchBudget budget(options);
    return GeneralSearch(problem, rules, 0, AllBuffers(problem), &budget).lower();
  };
  Problem problem = IntervalProblem({{0, 4, 8}, {5, 9, 12}, {6, 7, 16}});
  EXPECT_EQ(lower(problem), 28);
  problem.buffers[0].fixed_offset = 40;
  EXPECT_EQ(lower(problem), 48);
  problem.buffers[1].fixed_offset = 30;
  EXPECT_EQ(lower(problem), 48);
  problem.buffers[0].fixed_offset = 0;
  EXPECT_EQ(lower(problem), 42);
}

TEST(GeneralSearchTest, ACutOffPlanClaimsNoBoundThatIsTooHigh) {
  for (const int64_t steps : {3000, 9000, 20'000}) {
    const auto plan = PlanMemory(OddOneOnTop(), "optimal", {.node_limit = steps});
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->pools[0].lower_bound.bytes, 321) << steps;
  }
}

// Odd sizes, different alignments, constants, and several lifetimes.
Problem SmallProblem(RandomProblem* random) {
  Problem problem;
  problem.pools = {MakePool("pool")};
  problem.pools[0].alignment = int64_t{1} << random->Draw(0, 3);
  problem.pools[0].base_offset = random->Draw(0, 2) == 0 ? random->Draw(0, 31) : 0;
  const int64_t count = random->Draw(2, 6);
  const bool is_aligned_alike = random->Draw(0, 1) == 0;
  for (int64_t i = 0; i < count; ++i) {
    Buffer buffer = LiveBuffer("b", random->Draw(1, 50), 0, 0, 16);
    if (!is_aligned_alike) buffer.alignment = int64_t{1} << random->Draw(0, 5);
    buffer.lifetimes.clear();
    int64_t time = 0;
    for (int64_t lives = random->Draw(1, 3); lives > 0; --lives) {
      const int64_t lower = time + random->Draw(0, 3);
      time = lower + random->Draw(1, 3);
      buffer.lifetimes.push_back({lower, time});
    }
    if (random->Draw(0, 5) == 0) buffer.kind = BufferKind::kConstant;
    problem.buffers.push_back(std::move(buffer));
  }
  return problem;
}

bool Meet(const Buffer& a, const Buffer& b) {
  if (a.kind == BufferKind::kConstant || b.kind == BufferKind::kConstant) return true;
  return std::any_of(a.lifetimes.begin(), a.lifetimes.end(), [&](const Lifetime& x) {
    return std::any_of(b.lifetimes.begin(), b.lifetimes.end(),
                       [&](const Lifetime& y) { return x.lower < y.upper && y.lower < x.upper; });
  });
}

// The least size over all orders, with each buffer above all earlier ones that it conflicts with.
int64_t LeastOfAllOrders(const Problem& problem) {
  const Pool& pool = problem.pools[0];
  std::vector<size_t> order(problem.buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<std::vector<bool>> meet(order.size(), std::vector<bool>(order.size()));
  for (size_t a : order) {
    for (size_t b : order) meet[a][b] = Meet(problem.buffers[a], problem.buffers[b]);
  }
  int64_t least = INT64_MAX;
  std::vector<int64_t> ends(order.size());
  do {
    int64_t size = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      int64_t offset = 0;
      for (size_t k = 0; k < i; ++k) {
        if (meet[order[i]][order[k]]) offset = std::max(offset, ends[order[k]]);
      }
      const Buffer& buffer = problem.buffers[order[i]];
      const int64_t step = std::max(buffer.alignment, pool.alignment);
      while ((pool.base_offset + offset) % step != 0) ++offset;
      ends[order[i]] = offset + buffer.size;
      size = std::max(size, ends[order[i]]);
    }
    least = std::min(least, size);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

TEST(GeneralSearchTest, SmallProblemsTakeWhatTheBestOrderTakes) {
  const int problems = Sample(5000, 4);
  for (uint32_t seed = 0; seed < static_cast<uint32_t>(problems); ++seed) {
    RandomProblem random(seed);
    const Problem problem = SmallProblem(&random);
    const int64_t least = LeastOfAllOrders(problem);
    EXPECT_EQ(Search(problem, least, 10'000), SearchResult::kFound) << seed;
    EXPECT_EQ(Search(problem, least - 1, 10'000), SearchResult::kNone) << seed;
    for (int64_t tries = 1; tries < 6; ++tries) {
      EXPECT_NE(Search(problem, least, tries), SearchResult::kNone) << seed << " " << tries;
    }
    const auto plan = PlanMemory(problem, "optimal", {.explain = false});
    ASSERT_TRUE(plan.ok()) << seed << " " << plan.status();
    EXPECT_EQ(plan->pools[0].size, least) << seed;
    EXPECT_TRUE(plan->proven_optimal) << seed;
    // The bound holds for every limit of the search.
    const auto cut =
        PlanMemory(problem, "optimal", {.node_limit = random.Draw(0, 30), .explain = false});
    ASSERT_TRUE(cut.ok()) << seed << " " << cut.status();
    EXPECT_LE(cut->pools[0].lower_bound.bytes, least) << seed;
  }
}

}  // namespace
}  // namespace tenon::planner
