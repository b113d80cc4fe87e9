// Random problems of several distributions: compares the default algorithm with all others.

#include "tests/unit/planner/laws.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "planner/heuristics/ejection_search.h"
#include "planner/planner.h"
#include "planner/problem/bound.h"
#include "planner/problem/pair_rules.h"

namespace tenon::planner {
namespace {

class EachLawTest : public testing::TestWithParam<std::string_view> {};

TEST_P(EachLawTest, NoAlgorithmBeatsTheDefault) {
  for (const int64_t count : {60, 200, 400}) {
    const Problem problem = LawProblem(static_cast<uint32_t>(count)).Make(GetParam(), count);
    PlanOptions options;
    options.hill_climb_attempts = 20;
    options.work_limit = 200'000;
    options.node_limit = 60'000;
    const auto best = PlanMemory(problem, kDefaultAlgorithm, options);
    ASSERT_TRUE(best.ok()) << best.status();
    for (const std::string_view algorithm : AlgorithmNames()) {
      const auto plan = PlanMemory(problem, algorithm, options);
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_LE(best->pools[0].size, plan->pools[0].size) << algorithm << " " << count;
      EXPECT_FALSE(plan->pools[0].found_by.empty()) << algorithm;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, EachLawTest, testing::ValuesIn(LawProblem::kLaws),
                         [](const auto& info) { return std::string(info.param); });

void ExpectNoOverlaps(const Boxes& boxes, const std::vector<int64_t>& offsets) {
  for (int32_t a = 0; a < static_cast<int32_t>(offsets.size()); ++a) {
    const int64_t bottom = offsets[Index(a)];
    for (int32_t b = 0; b < a; ++b) {
      const int64_t other = offsets[Index(b)];
      const bool overlaps = bottom < other + boxes.At(b).size && other < bottom + boxes.At(a).size;
      EXPECT_FALSE(overlaps && boxes.Meet(a, b)) << a << " " << b;
    }
  }
}

TEST(EjectionSearchTest, LowersThePeak) {
  const Problem problem = LawProblem(3).Make("uniform", 300);
  std::vector<int32_t> members;
  for (int32_t i = 0; i < 300; ++i) members.push_back(i);
  const PairRules rules(problem);
  const Boxes boxes(problem, rules, 0, members);
  const std::vector<int64_t> start = boxes.Drop(boxes.live());
  PlanOptions options;
  options.node_limit = 20'000;
  SearchBudget budget(options);
  EjectionSearch search(boxes, start, &budget);
  EXPECT_TRUE(search.Run(0, INT64_MAX));
  EXPECT_LT(search.peak(), boxes.Peak(start) * 9 / 10);
  EXPECT_EQ(search.peak(), boxes.Peak(search.offsets()));
  ExpectNoOverlaps(boxes, search.offsets());
}

TEST(EjectionSearchTest, BuildsInOnePassOverAllBoxes) {
  const Problem problem = LawProblem(5).Make("crowd", 2000);
  std::vector<int32_t> members(2000);
  std::iota(members.begin(), members.end(), 0);
  const PairRules rules(problem);
  const Boxes boxes(problem, rules, 0, members);
  const int64_t bound = ComputeLowerBounds(problem)[0].bytes;
  PlanOptions options;
  SearchBudget budget(options);
  EjectionSearch search(boxes, boxes.Drop(boxes.live()), &budget);
  ASSERT_TRUE(search.has_contacts());
  EXPECT_TRUE(search.Build(bound));
  EXPECT_EQ(budget.used(), 0);
  EXPECT_LT(search.peak(), bound * 5 / 4);
  EXPECT_EQ(search.peak(), boxes.Peak(search.offsets()));
  ExpectNoOverlaps(boxes, search.offsets());
  // Dropping a plan in order of its offsets moves nothing up unless two boxes overlap in it.
  const std::vector<int64_t> dropped = boxes.Drop(boxes.ByOffset(search.offsets()));
  for (size_t i = 0; i < 2000; ++i) EXPECT_LE(dropped[i], search.offsets()[i]);
}

TEST(EjectionSearchTest, RebuildsCloseToTheGoal) {
  for (const std::string_view law : {"crowd", "tails"}) {
    const Problem problem = LawProblem(6).Make(law, 2000);
    std::vector<int32_t> members(2000);
    std::iota(members.begin(), members.end(), 0);
    const PairRules rules(problem);
    const Boxes boxes(problem, rules, 0, members);
    const int64_t bound = ComputeLowerBounds(problem)[0].bytes;
    PlanOptions options;
    SearchBudget budget(options);
    EjectionSearch search(boxes, boxes.Drop(boxes.live()), &budget);
    const int64_t before = search.peak();
    int64_t told = before;
    search.RebuildCloseTo(bound, 40'000, 0, [&] {
      EXPECT_LT(search.peak(), told);
      told = search.peak();
      EXPECT_EQ(told, boxes.Peak(search.offsets()));
    });
    EXPECT_LT(told, before) << law;
    EXPECT_EQ(told, search.peak()) << law;
    ExpectNoOverlaps(boxes, search.offsets());
  }
}

TEST(EjectionSearchTest, KeepsFixedBuffersInTheirPlaces) {
  Problem problem = LawProblem(4).Make("uniform", 200);
  for (Buffer& buffer : problem.buffers) buffer.lifetimes[0].upper += 1;
  problem.buffers[7].fixed_offset = 4096;
  std::vector<int32_t> members;
  for (int32_t i = 0; i < 200; ++i) members.push_back(i);
  const PairRules rules(problem);
  const Boxes boxes(problem, rules, 0, members);
  PlanOptions options;
  options.node_limit = 5'000;
  SearchBudget budget(options);
  EjectionSearch search(boxes, boxes.Drop(boxes.live()), &budget);
  search.Run(0, INT64_MAX);
  EXPECT_EQ(search.offsets()[7], 4096);
}

}  // namespace
}  // namespace tenon::planner
