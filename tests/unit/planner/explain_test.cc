// Explanations for problems that do not fit: the reason, and the smallest size changes that make
// them fit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "exhaustive.h"
#include "planner/explain/misfit.h"
#include "planner/planner.h"
#include "problems.h"
#include "random_problem.h"

namespace tenon::planner {

/// Equality for ElementsAre; the flag last.
static bool operator==(const Misfit::Capacity& a, const Misfit::Capacity& b) {
  return a.pool == b.pool && a.bytes == b.bytes && a.is_least == b.is_least;
}

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Answer {
  absl::StatusOr<Plan> plan;
  Misfit misfit;
  std::string message;
};

Answer Explain(const Problem& problem, std::string_view algorithm = "optimal") {
  Answer answer{absl::InternalError(""), {}, ""};
  PlanOptions options;
  options.misfit = &answer.misfit;
  answer.plan = PlanMemory(problem, algorithm, options);
  answer.message = std::string(answer.plan.status().message());
  return answer;
}

TEST(ExplainTest, TheCapacityAndTheBufferThatAreMissing) {
  Problem problem = IntervalProblem({{0, 9, 100}, {0, 9, 60}, {0, 9, 30}});
  problem.pools[0].capacity = 150;
  const Answer answer = Explain(problem);
  EXPECT_TRUE(IsProvenInfeasible(answer.plan.status()));
  EXPECT_EQ(answer.misfit.pool, 0);
  EXPECT_EQ(answer.misfit.bound.bytes, 190);
  EXPECT_THAT(answer.misfit.one_pool, ElementsAre(Misfit::Capacity{0, 190, true}));
  ASSERT_TRUE(answer.misfit.one_buffer);
  EXPECT_EQ(answer.misfit.one_buffer->buffer, 0);
  EXPECT_EQ(answer.misfit.one_buffer->bytes, 40);
  EXPECT_TRUE(answer.misfit.one_buffer->has_plan);
  EXPECT_EQ(answer.message,
            "does not fit: pool `default` has 150 bytes, but needs at least 190 (40 more) for the "
            "buffers that are live at time 0: `0` (100 bytes), `1` (60 bytes), `2` (30 bytes); it "
            "fits with "
            "190 bytes in pool `default` (40 more, the least possible), or with `0` smaller "
            "by 40 bytes");
}

TEST(ExplainTest, ABufferHasToBeAtEveryPeakToBeWorthShrinking) {
  // 110 bytes until 4, 120 at 5 and later; buffers 1 and 2 are in one of the two periods each.
  Problem problem = IntervalProblem({{0, 9, 50}, {0, 4, 60}, {5, 9, 70}});
  problem.pools[0].capacity = 100;
  const Answer answer = Explain(problem);
  ASSERT_TRUE(answer.misfit.one_buffer);
  EXPECT_EQ(answer.misfit.one_buffer->buffer, 0);
  EXPECT_EQ(answer.misfit.one_buffer->bytes, 20);
  EXPECT_THAT(answer.misfit.one_pool, ElementsAre(Misfit::Capacity{0, 120, true}));

  problem.pools[0].capacity = 65;
  const Answer tighter = Explain(problem);
  EXPECT_FALSE(tighter.misfit.one_buffer) << "without 0 the last alone is too large";
}

TEST(ExplainTest, AlignmentCountsInWhatABufferHasToLose) {
  Problem problem = IntervalProblem({{0, 9, 20}, {0, 9, 20}}, 16);
  problem.pools[0].capacity = 50;
  const Answer answer = Explain(problem);
  EXPECT_THAT(answer.misfit.one_pool, ElementsAre(Misfit::Capacity{0, 52, true}));
  ASSERT_TRUE(answer.misfit.one_buffer);
  EXPECT_EQ(answer.misfit.one_buffer->bytes, 2);
}

TEST(ExplainTest, AnyPoolMayGrowTheOneThatGrowsLeastComesFirst) {
  Problem problem = IntervalProblem({{0, 9, 30}, {0, 9, 30}});
  problem.pools = {MakePool("fast", 10), MakePool("slow", 50)};
  for (Buffer& buffer : problem.buffers) buffer.pools = {0, 1};
  const Answer answer = Explain(problem);
  EXPECT_THAT(answer.misfit.one_pool,
              ElementsAre(Misfit::Capacity{1, 60, true}, Misfit::Capacity{0, 30, true}));
  EXPECT_THAT(answer.message,
              HasSubstr("; it fits with 60 bytes in pool `slow` (10 more, the least possible), "
                        "or with 30 bytes in pool `fast` (20 more, the least possible), or "
                        "with `0` smaller by 10 bytes"));
}

TEST(ExplainTest, OfPoolsThatGrowEquallyTheFirstOneComesFirst) {
  Problem problem = IntervalProblem({{0, 9, 30}, {0, 9, 30}});
  problem.pools = {MakePool("one", 20), MakePool("two", 20), MakePool("three", 20)};
  for (Buffer& buffer : problem.buffers) buffer.pools = {0, 1, 2};
  const Answer answer = Explain(problem);
  EXPECT_THAT(answer.misfit.one_pool,
              ElementsAre(Misfit::Capacity{0, 60, true}, Misfit::Capacity{1, 60, true},
                          Misfit::Capacity{2, 60, true}));
}

TEST(ExplainTest, ABufferLargerThanAllItsPools) {
  Problem problem = IntervalProblem({{0, 9, 100}, {0, 9, 30}});
  problem.pools = {MakePool("small", 10), MakePool("middle", 60)};
  problem.buffers[0].pools = {0, 1};
  problem.buffers[1].pools = {1};
  const Answer answer = Explain(problem);
  EXPECT_TRUE(answer.misfit.buffer_is_too_large);
  EXPECT_EQ(answer.misfit.buffer, 0);
  EXPECT_THAT(answer.misfit.one_pool,
              ElementsAre(Misfit::Capacity{1, 130, true}, Misfit::Capacity{0, 100, true}));
  ASSERT_TRUE(answer.misfit.one_buffer);
  EXPECT_EQ(answer.misfit.one_buffer->buffer, 0);
  EXPECT_EQ(answer.misfit.one_buffer->bytes, 70);
  EXPECT_THAT(answer.message,
              HasSubstr("(40 more than its largest candidate, pool `middle` of 60 bytes)"));
}

TEST(ExplainTest, PoolsThatHaveToGrowTogether) {
  Problem problem = IntervalProblem({{0, 9, 8}, {0, 9, 8}, {0, 9, 7}, {0, 9, 7}});
  problem.pools = {MakePool("one", 10), MakePool("two", 10)};
  for (size_t i = 0; i < 4; ++i) problem.buffers[i].pools = {i < 2 ? 0 : 1};
  const Answer answer = Explain(problem);
  EXPECT_THAT(answer.misfit.one_pool, IsEmpty());
  EXPECT_THAT(answer.misfit.all_pools,
              ElementsAre(Misfit::Capacity{0, 16, false}, Misfit::Capacity{1, 14, false}));
  EXPECT_FALSE(answer.misfit.one_buffer);
  EXPECT_THAT(answer.message, HasSubstr("; it fits with 16 bytes in pool `one` (6 more), "
                                        "together with 14 bytes in pool `two` (4 more)"));
}

TEST(ExplainTest, WhatASearchHasRefutedIsTheLeast) {
  // Alignments increase 13 live bytes to 14.
  Problem problem = IntervalProblem({{0, 3, 6}, {0, 3, 6}, {0, 3, 2}}, 4);
  problem.buffers[2].alignment = 1;
  problem.pools[0].capacity = 13;
  const Answer answer = Explain(problem);
  EXPECT_TRUE(IsProvenInfeasible(answer.plan.status()));
  EXPECT_THAT(answer.misfit.one_pool, ElementsAre(Misfit::Capacity{0, 14, true}));
}

TEST(ExplainTest, AnAlgorithmThatFindsNothingSaysWhatItWouldNeed) {
  Problem problem = IntervalProblem({{0, 9, 3}, {0, 9, 3}, {0, 9, 2}}, 4);
  problem.buffers[2].alignment = 2;
  problem.pools[0].capacity = 9;
  const Answer answer = Explain(problem, "first_fit");
  EXPECT_TRUE(absl::IsNotFound(answer.plan.status()));
  EXPECT_EQ(answer.misfit.pool, -1);
  EXPECT_THAT(answer.misfit.one_pool, ElementsAre(Misfit::Capacity{0, 10, false}));
  EXPECT_FALSE(answer.misfit.one_buffer) << "no bound is in the way";
}

TEST(ExplainTest, NoChangesAreLookedForUnlessAsked) {
  Problem problem = IntervalProblem({{0, 9, 100}, {0, 9, 60}});
  problem.pools[0].capacity = 150;
  PlanOptions options;
  options.explain = false;
  const auto plan = PlanMemory(problem, "optimal", options);
  EXPECT_TRUE(IsProvenInfeasible(plan.status()));
  EXPECT_THAT(std::string(plan.status().message()), Not(HasSubstr("it fits with")));
}

TEST(ExplainTest, RulesThatLeaveNoPlaceHaveNoRemedyInSizes) {
  Problem problem = IntervalProblem({{0, 9, 4}, {0, 9, 4}});
  problem.buffers[0].fixed_offset = 0;
  problem.buffers[1].fixed_offset = 2;
  const Answer answer = Explain(problem);
  EXPECT_FALSE(answer.plan.ok());
  EXPECT_THAT(answer.misfit.one_pool, IsEmpty());
  EXPECT_THAT(answer.misfit.all_pools, IsEmpty());
}

TEST(ExplainTest, RulesThatContradictEachOtherAreNamed) {
  Problem problem = IntervalProblem({{0, 3, 8}, {3, 7, 2}, {0, 5, 8}, {0, 2, 2}});
  const auto tie = [&](int32_t b, std::vector<DifferenceRange> allowed) {
    problem.relations.push_back({RelationKind::kOffsetDifference, 0, b, std::move(allowed), false});
  };
  tie(2, {{2, 3}});
  tie(3, {{4, 5}, {7, 7}});
  const Answer answer = Explain(problem);
  EXPECT_TRUE(IsProvenInfeasible(answer.plan.status()));
  ASSERT_TRUE(answer.misfit.contradiction);
  EXPECT_THAT(answer.misfit.contradiction->buffers, ElementsAre(0, 2, 3));
  EXPECT_THAT(std::string(answer.plan.status().message()),
              HasSubstr("the offset of `3` minus that of `0` is 4 to 5 or 7; `2` and `3` are live "
                        "together"));
  problem.relations[1].allowed.push_back({8, 9});
  EXPECT_FALSE(Explain(problem).plan.ok()) << "the third buffer ends at 10 or 11";
  problem.relations[1].allowed.back().last = 10;
  EXPECT_TRUE(Explain(problem).plan.ok());
}

/// Random buffers with relations that tie most of them together.
Problem TiedProblem(uint32_t seed) {
  std::mt19937 random(seed);
  const auto up_to = [&](uint32_t most) { return static_cast<int64_t>(random() % (most + 1)); };
  Problem problem;
  problem.pools = {Pool{}};
  for (int32_t i = 0; i < 4; ++i) {
    Buffer buffer;
    buffer.name = std::string(1, static_cast<char>('a' + i));
    buffer.size = 1 + up_to(4);
    buffer.alignment = int64_t{1} << up_to(2);
    buffer.pools = {0};
    const int64_t from = up_to(3);
    buffer.lifetimes = {{from, from + 1 + up_to(3)}};
    problem.buffers.push_back(buffer);
    for (int32_t a = 0; a < i; ++a) {
      if (up_to(2) == 0) continue;
      Relation relation{RelationKind::kOffsetDifference, a, i, {}, false};
      for (int64_t count = up_to(1); count >= 0; --count) {
        const int64_t first = up_to(12) - 6;
        relation.allowed.push_back({first, first + up_to(2)});
      }
      problem.relations.push_back(relation);
    }
  }
  return problem;
}

TEST(ExplainTest, RandomContradictionsHold) {
  int contradictions = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const Problem problem = TiedProblem(seed);
    const Answer answer = Explain(problem);
    const bool fits = Exhaustive(problem).LeastSize(Exhaustive::kLast).has_value();
    EXPECT_EQ(answer.plan.ok(), fits) << seed;
    if (fits) continue;
    ++contradictions;
    EXPECT_TRUE(IsProvenInfeasible(answer.plan.status())) << seed;
  }
  EXPECT_GT(contradictions, 50);
  EXPECT_LT(contradictions, 250);
}

/// Compares the claims of a random problem's misfit with plans of the changed problem.
void CheckClaims(const Problem& problem, const Misfit& misfit, uint32_t seed) {
  PlanOptions options;
  options.explain = false;
  const auto with = [&](const Misfit::Capacity& change, int64_t less) {
    Problem changed = problem;
    changed.pools[Index(change.pool)].capacity = change.bytes - less;
    return PlanMemory(changed, "optimal", options);
  };
  for (const Misfit::Capacity& change : misfit.one_pool) {
    EXPECT_GT(change.bytes, problem.pools[Index(change.pool)].capacity) << seed;
    EXPECT_TRUE(with(change, 0).ok()) << seed;
    if (!change.is_least || change.bytes == 0) continue;
    EXPECT_FALSE(with(change, 1).ok()) << seed;
    if (problem.pools.size() > 1) continue;
    EXPECT_EQ(Exhaustive(problem).LeastSize(Exhaustive::kLast), change.bytes) << seed;
  }
  if (!misfit.all_pools.empty()) {
    Problem changed = problem;
    for (const Misfit::Capacity& change : misfit.all_pools)
      changed.pools[Index(change.pool)].capacity = change.bytes;
    EXPECT_TRUE(PlanMemory(changed, "optimal", options).ok()) << seed;
  }
  if (misfit.one_buffer && misfit.one_buffer->has_plan) {
    Problem changed = problem;
    changed.buffers[Index(misfit.one_buffer->buffer)].size -= misfit.one_buffer->bytes;
    EXPECT_TRUE(PlanMemory(changed, "optimal", options).ok()) << seed;
  }
}

TEST(ExplainTest, RandomClaimsHold) {
  int64_t misfits = 0;
  int64_t least = 0;
  int64_t shrinks = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    RandomProblem random(seed);
    RandomTraits traits;
    traits.pools = 1 + static_cast<int32_t>(seed % 3);
    traits.holes = seed % 5 == 0;
    traits.relations = seed % 7 == 0;
    traits.constants = seed % 4 == 0;
    Problem problem = random.Make(traits);
    for (Pool& pool : problem.pools) pool.capacity = random.Draw(0, 12);
    const Answer answer = Explain(problem);
    if (answer.plan.ok()) continue;
    ++misfits;
    CheckClaims(problem, answer.misfit, seed);
    for (const Misfit::Capacity& change : answer.misfit.one_pool) least += change.is_least ? 1 : 0;
    shrinks += answer.misfit.one_buffer ? 1 : 0;
  }
  EXPECT_GT(misfits, 70);
  EXPECT_GT(least, 40);
  EXPECT_GT(shrinks, 20);
}

}  // namespace
}  // namespace tenon::planner
