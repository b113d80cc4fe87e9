// The rows of TVM's test_tir_usmp_algo.py, and manual test cases, as lists of conflicts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner/problems.h"

namespace tenon::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kTvmNames[] = {"greedy_by_size", "greedy_by_conflicts", "hill_climb"};

TEST(TvmListsTest, NamesBreakTies) {
  const std::vector<ConflictRow> rows = {
      {"bi_a", 10, {1, 2}}, {"bi_b", 10, {2, 0}}, {"bi_c", 10, {0, 1}}};
  for (std::string_view name : kTvmNames) {
    EXPECT_THAT(Offsets(PlanMemory(ListProblem(rows), name)), ElementsAre(20, 10, 0)) << name;
  }
}

TEST(TvmListsTest, NoPoolIsLargeEnough) {
  const std::vector<ConflictRow> rows = {{"bi_a", 10, {1}}, {"bi_b", 10, {2}}, {"bi_c", 10, {0}}};
  for (OneSided one_sided : {OneSided::kConflict, OneSided::kIgnore}) {
    Problem problem = ListProblem(rows, 1, one_sided);
    problem.pools[0].capacity = 10;
    const auto plan = PlanMemory(problem, "greedy_by_size");
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(IsProvenInfeasible(plan.status()), one_sided == OneSided::kConflict);
  }
  Problem problem = ListProblem(rows);
  problem.pools[0].capacity = 10;
  EXPECT_THAT(std::string(PlanMemory(problem, "greedy_by_size").status().message()),
              HasSubstr("needs at least 30 (20 more)"));
}

TEST(TvmListsTest, Linear) {
  const std::vector<ConflictRow> rows = {{"bi_a", 10, {1}},     {"bi_b", 20, {0, 2}},
                                         {"bi_c", 100, {1, 3}}, {"bi_d", 40, {2, 4}},
                                         {"bi_e", 50, {3, 5}},  {"bi_f", 50, {4}}};
  const Problem problem = ListProblem(rows);
  EXPECT_THAT(Offsets(PlanMemory(problem, "greedy_by_size")), ElementsAre(120, 100, 0, 100, 0, 50));
  for (std::string_view name : kTvmNames) {
    EXPECT_THAT(PoolSizes(PlanMemory(problem, name)), ElementsAre(140)) << name;
  }
  const auto plan = PlanMemory(problem, "first_fit");
  EXPECT_THAT(PoolSizes(plan), ElementsAre(140));
  EXPECT_TRUE(plan->proven_optimal);
}

std::vector<ConflictRow> FanoutRows() {
  return {{"bi_a", 10, {1, 2}},       {"bi_b", 20, {0, 2, 4}},    {"bi_c", 100, {4, 0, 1, 3}},
          {"bi_d", 40, {1, 5, 2, 4}}, {"bi_e", 50, {2, 5, 1, 3}}, {"bi_f", 60, {3, 4, 5}},
          {"bi_g", 70, {5}}};
}

// The fixture lists g-f and b-d only from one side, and TVM places f over g.
TEST(TvmListsTest, FanoutWithOneSidedEntriesIgnored) {
  const Problem problem = ListProblem(FanoutRows(), 1, OneSided::kIgnore);
  const auto by_size = PlanMemory(problem, "greedy_by_size");
  EXPECT_THAT(PoolSizes(by_size), ElementsAre(190));
  EXPECT_THAT(Offsets(by_size), ElementsAre(170, 150, 0, 150, 100, 0, 0));
  const auto by_conflicts = PlanMemory(problem, "greedy_by_conflicts");
  EXPECT_THAT(PoolSizes(by_conflicts), ElementsAre(320));
  EXPECT_EQ(by_conflicts->placements[5].offset, 190);
  EXPECT_EQ(by_conflicts->placements[6].offset, 250);
  EXPECT_THAT(PoolSizes(PlanMemory(problem, "hill_climb")), ElementsAre(190));
  const auto first_fit = PlanMemory(problem, "first_fit");
  EXPECT_THAT(PoolSizes(first_fit), ElementsAre(190));
  EXPECT_TRUE(first_fit->proven_optimal);
}

// With b-d, all of b, c, d and e conflict: 20 + 100 + 40 + 50.
TEST(TvmListsTest, FanoutWithOneSidedEntriesKept) {
  const Problem problem = ListProblem(FanoutRows(), 1, OneSided::kConflict);
  for (std::string_view name : kTvmNames) EXPECT_TRUE(PlanMemory(problem, name).ok()) << name;
  const auto plan = PlanMemory(problem, "first_fit");
  EXPECT_THAT(PoolSizes(plan), ElementsAre(210));
  EXPECT_TRUE(plan->proven_optimal);
}

TEST(TvmListsTest, InceptionBlock) {
  Problem problem = ListProblem(kInception, 16);
  problem.memory_pressure = 1117718;
  EXPECT_THAT(PoolSizes(PlanMemory(problem, "greedy_by_size")), ElementsAre(2437632));
  EXPECT_THAT(PoolSizes(PlanMemory(problem, "greedy_by_conflicts")), ElementsAre(2638336));
  EXPECT_THAT(PoolSizes(PlanMemory(problem, "hill_climb")), ElementsAre(1117728));
  const auto plan = PlanMemory(problem, "first_fit");
  EXPECT_THAT(PoolSizes(plan), ElementsAre(1117718));
  EXPECT_TRUE(plan->proven_optimal);
}

TEST(TvmListsTest, ParametersAndOutputsAllConflict) {
  const std::vector<ConflictRow> rows = {{"P", 100, {1, 2}}, {"Q", 300, {0, 2}}, {"R", 50, {0, 1}}};
  const Problem problem = ListProblem(rows, 16);
  for (std::string_view name : kTvmNames) {
    EXPECT_THAT(Offsets(PlanMemory(problem, name)), ElementsAre(304, 0, 416)) << name;
    EXPECT_THAT(PoolSizes(PlanMemory(problem, name)), ElementsAre(466)) << name;
  }
}

TEST(TvmListsTest, UnusedArgument) {
  const std::vector<ConflictRow> rows = {{"S", 64, {1}}, {"U", 32, {0, 2}}, {"V", 16, {1}}};
  Problem problem = ListProblem(rows, 16);
  problem.memory_pressure = 96;
  EXPECT_THAT(PoolSizes(PlanMemory(problem, "greedy_by_size")), ElementsAre(112));
  EXPECT_THAT(PoolSizes(PlanMemory(problem, "greedy_by_conflicts")), ElementsAre(96));
  EXPECT_THAT(PoolSizes(PlanMemory(problem, "hill_climb")), ElementsAre(96));
  EXPECT_TRUE(PlanMemory(problem, "hill_climb")->proven_optimal);
}

// A function that is called three times: TVM's hill_climb searches endlessly for a neighbor other
// than X.
TEST(TvmListsTest, DuplicateConflictsDoNotHang) {
  const std::vector<ConflictRow> rows = {{"X", 17, {1, 1, 1}}, {"Y", 10, {0, 0, 0}}};
  Problem problem = ListProblem(rows, 16);
  problem.memory_pressure = 27;
  for (std::string_view name : kTvmNames) {
    EXPECT_THAT(PoolSizes(PlanMemory(problem, name)), ElementsAre(42)) << name;
  }
  const auto plan = PlanMemory(problem, "first_fit");
  EXPECT_THAT(PoolSizes(plan), ElementsAre(33));
  EXPECT_TRUE(plan->proven_optimal) << "16 bytes for Y, then X";
}

// TVM drops the pool because of A, restores it because of B, and places C over A.
TEST(TvmListsTest, APoolFoundTooSmallDoesNotComeBack) {
  for (const std::vector<int32_t>& list : {std::vector<int32_t>{0, 1}, {1, 0}}) {
    Problem problem = ListProblem({{"A", 40, {1, 2}}, {"B", 60, {0, 2}}, {"C", 30, list}}, 1,
                                  OneSided::kConflict);
    problem.pools[0].capacity = 100;
    for (std::string_view name : kTvmNames) {
      const auto plan = PlanMemory(problem, name);
      EXPECT_TRUE(IsProvenInfeasible(plan.status())) << name;
      EXPECT_THAT(std::string(plan.status().message()), HasSubstr("at least 130 (30 more)"))
          << name;
    }
  }
}

// The same, but C has a second pool, so that a lower bound does not decide.
TEST(TvmListsTest, APoolFoundTooSmallGivesWayToTheNext) {
  Problem problem = ListProblem({{"A", 40, {1, 2}}, {"B", 60, {0, 2}}, {"C", 30, {0, 1}}});
  problem.pools = {MakePool("small", 100), MakePool("large")};
  problem.buffers[2].pools = {0, 1};
  for (std::string_view name : kTvmNames) {
    EXPECT_THAT(PoolSizes(PlanMemory(problem, name)), ElementsAre(100, 30)) << name;
  }
}

// 150 buffers with random conflicts, a bounded pool before an unbounded one.
TEST(TvmListsTest, Bounded) {
  uint32_t state = 7;
  auto draw = [&](uint32_t count) {
    return (state = state * 1664525u + 1013904223u) / 65536 % count;
  };
  std::vector<std::string> names;
  std::vector<ConflictRow> rows(150);
  for (size_t i = 0; i < rows.size(); ++i) names.push_back(std::to_string(i));
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].name = names[i];
    rows[i].size = 1 + draw(65534);
    const auto other = static_cast<int32_t>(draw(150));
    if (other == static_cast<int32_t>(i)) continue;
    rows[i].conflicts.push_back(other);
    rows[Index(other)].conflicts.push_back(static_cast<int32_t>(i));
  }
  Problem problem = ListProblem(rows);
  problem.pools = {MakePool("default", 65535), MakePool("slow")};
  for (Buffer& buffer : problem.buffers) buffer.pools = {0, 1};
  for (std::string_view name : AlgorithmNames()) {
    EXPECT_TRUE(PlanMemory(problem, name).ok())
        << name << ": " << PlanMemory(problem, name).status();
  }
}

}  // namespace
}  // namespace tenon::planner
