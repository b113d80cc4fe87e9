#include "planner/heuristics/keep_offsets.h"

#include <gtest/gtest.h>

#include "planner/check/checker.h"
#include "planner/planner.h"
#include "tests/unit/planner/random_problem.h"

namespace tenon::planner {
namespace {

constexpr int64_t kWork = 1'000'000;

PreviousPlacements AsPrevious(const Plan& plan) {
  return {plan.placements.begin(), plan.placements.end()};
}

Buffer Named(std::string name, int64_t size, Lifetime life) {
  Buffer buffer;
  buffer.name = std::move(name);
  buffer.size = size;
  buffer.lifetimes = {life};
  buffer.pools = {0};
  return buffer;
}

// Two buffers that alternate with two others, so that many plans are equally good.
Problem FourBuffers() {
  Problem problem;
  problem.pools.emplace_back().name = "pool";
  problem.buffers = {Named("a", 64, {0, 3}), Named("b", 32, {2, 5}), Named("c", 64, {4, 7}),
                     Named("d", 32, {6, 9})};
  return problem;
}

TEST(KeepOffsetsTest, UnchangedProblemsKeepEverything) {
  const Problem problem = FourBuffers();
  const Plan plan = *PlanMemory(problem, "optimal");
  // Another plan of the same size: upside down.
  PreviousPlacements previous = AsPrevious(plan);
  for (size_t i = 0; i < previous.size(); ++i) {
    previous[i]->offset = plan.pools[0].size - previous[i]->offset - problem.buffers[i].size;
  }
  const Plan kept = KeepOffsets(problem, plan, previous, kWork);
  EXPECT_EQ(CountKept(problem, kept, previous), (KeptOffsets{4, 0, 0, 192, 0}));
  EXPECT_TRUE(CheckPlan(problem, kept).ok());
  EXPECT_EQ(kept.pools[0].size, plan.pools[0].size);
}

TEST(KeepOffsetsTest, OneBufferMoreMovesNoOther) {
  Problem problem = FourBuffers();
  const PreviousPlacements old = {{{0, 32}}, {{0, 0}}, {{0, 32}}, {{0, 0}}};
  problem.buffers.push_back(Named("e", 32, {8, 12}));
  PreviousPlacements previous = old;
  previous.emplace_back();
  const Plan kept = KeepOffsets(problem, *PlanMemory(problem, "optimal"), previous, kWork);
  EXPECT_EQ(CountKept(problem, kept, previous), (KeptOffsets{4, 0, 1, 192, 0}));
  EXPECT_EQ(kept.pools[0].size, 96);
  EXPECT_TRUE(kept.proven_optimal);
}

TEST(KeepOffsetsTest, BuffersInTheWayMove) {
  // The old places waste 32 bytes between the two; the larger one stays.
  Problem problem = FourBuffers();
  problem.buffers.resize(2);
  const PreviousPlacements previous = {{{0, 0}}, {{0, 96}}};
  const Plan kept = KeepOffsets(problem, *PlanMemory(problem, "optimal"), previous, kWork);
  EXPECT_EQ(kept.pools[0].size, 96);
  EXPECT_EQ(kept.placements[0].offset, 0);
  EXPECT_EQ(CountKept(problem, kept, previous), (KeptOffsets{1, 1, 0, 64, 32}));
}

TEST(KeepOffsetsTest, InvalidPlacesAreMoved) {
  const Problem problem = FourBuffers();
  const Plan plan = *PlanMemory(problem, "optimal");
  const PreviousPlacements previous = {{{0, -5}}, {{7, 0}}, {{-1, 0}}, {{0, int64_t{1} << 62}}};
  const Plan kept = KeepOffsets(problem, plan, previous, kWork);
  EXPECT_EQ(CountKept(problem, kept, previous).moved, 4);
  EXPECT_TRUE(CheckPlan(problem, kept).ok());
}

TEST(KeepOffsetsTest, RandomProblemsAreNeverWorse) {
  int64_t more = 0;
  for (uint32_t seed = 0; seed < Seeds(300); ++seed) {
    RandomProblem random(seed);
    RandomTraits traits;
    traits.buffers = static_cast<int32_t>(random.Draw(2, 9));
    traits.pools = static_cast<int32_t>(random.Draw(1, 2));
    traits.gaps = traits.holes = traits.groups = traits.constants = true;
    traits.relations = random.Draw(0, 2) == 0;
    traits.fixed = random.Draw(0, 3) == 0;
    const Problem old = random.Make(traits);
    const absl::StatusOr<Plan> old_plan = PlanMemory(old, "best_fit");
    if (!old_plan.ok()) continue;
    // The same problem with another size of one buffer, and a new buffer.
    Problem problem = old;
    PreviousPlacements previous = AsPrevious(*old_plan);
    const auto changed = Index(random.Draw(0, traits.buffers - 1));
    if (problem.buffers[changed].gaps.empty()) {
      problem.buffers[changed].size += random.Draw(0, 3);
      previous[changed].reset();
    }
    problem.buffers.push_back(Named("new", random.Draw(0, 9), {random.Draw(0, 5), 6}));
    previous.emplace_back();
    const absl::StatusOr<Plan> plan = PlanMemory(problem, "optimal");
    if (!plan.ok()) continue;
    const Plan kept = KeepOffsets(problem, *plan, previous, kWork);
    const PlanVerdict verdict = CheckPlan(problem, kept);
    EXPECT_TRUE(verdict.ok()) << seed << ": " << verdict.message;
    for (size_t p = 0; p < problem.pools.size(); ++p) {
      EXPECT_LE(kept.pools[p].size, plan->pools[p].size) << seed;
      if (plan->proven_optimal) {
        EXPECT_EQ(kept.pools[p].size, plan->pools[p].size) << seed;
      }
    }
    const int64_t plain = CountKept(problem, *plan, previous).kept_bytes;
    const int64_t bytes = CountKept(problem, kept, previous).kept_bytes;
    EXPECT_GE(bytes, plain) << seed;
    more += bytes > plain ? 1 : 0;
    EXPECT_EQ(KeepOffsets(problem, *plan, previous, kWork).placements, kept.placements) << seed;
  }
  EXPECT_GT(more, static_cast<int64_t>(Seeds(300) / 10));
}

}  // namespace
}  // namespace tenon::planner
