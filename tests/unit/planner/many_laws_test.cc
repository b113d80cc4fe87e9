// Many buffers of several distributions: no algorithm beats the default. TENON_LAWS_COUNT enables
// more steps, and adds problems of that many buffers, for which the default has all its steps.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "planner/planner.h"
#include "tests/unit/planner/laws.h"

namespace tenon::planner {
namespace {

class ManyLawsTest : public testing::TestWithParam<std::string_view> {};

void ExpectThatNoneBeatsTheDefault(std::string_view law, int64_t count, int64_t steps) {
  const Problem problem = LawProblem(1).Make(law, count);
  PlanOptions options;
  options.hill_climb_attempts = 1;
  options.work_limit = 1000;
  options.node_limit = steps;
  const auto best = PlanMemory(problem, kDefaultAlgorithm, options);
  ASSERT_TRUE(best.ok()) << best.status();
  for (const std::string_view algorithm : AlgorithmNames()) {
    // hill_climb lists all conflicting pairs, unless there are too many.
    if (algorithm == kDefaultAlgorithm || (algorithm == "hill_climb" && count > 2000)) continue;
    const auto plan = PlanMemory(problem, algorithm, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_LE(best->pools[0].size, plan->pools[0].size) << algorithm << " " << count;
  }
}

TEST_P(ManyLawsTest, NoAlgorithmBeatsTheDefault) {
  const char* given = std::getenv("TENON_LAWS_COUNT");
  if (given == nullptr) {
    ExpectThatNoneBeatsTheDefault(GetParam(), 500, 10'000);
    // With few conflicts, this number of steps is enough to try the other algorithms.
    const bool few_meet = GetParam() == "bursts" || GetParam() == "nested" || GetParam() == "tails";
    if (few_meet) ExpectThatNoneBeatsTheDefault(GetParam(), 4200, 20'000);
    return;
  }
  ExpectThatNoneBeatsTheDefault(GetParam(), 1000, 100'000);
  ExpectThatNoneBeatsTheDefault(GetParam(), 4200, 400'000);
  ExpectThatNoneBeatsTheDefault(GetParam(), std::atoll(given), PlanOptions().node_limit);
}

INSTANTIATE_TEST_SUITE_P(Laws, ManyLawsTest, testing::ValuesIn(LawProblem::kLaws),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tenon::planner
