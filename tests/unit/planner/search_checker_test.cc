// Bounds from a search: the checker repeats the search, and detects every damage of its record.

#include "planner/check/search_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner/exhaustive.h"
#include "tests/unit/planner/problems.h"
#include "tests/unit/planner/random_problem.h"

namespace tenon::planner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SearchWitnessTest : public ::testing::Test {
 protected:
  // 14 bytes are live, but no plan is smaller than 17: `a` and `b` begin at multiples of 4.
  void SetUp() override {
    problem_.pools = {MakePool("pool"), MakePool("other")};
    problem_.buffers = {LiveBuffer("a", 5, 0, 3, 4), LiveBuffer("b", 5, 0, 3, 4),
                        LiveBuffer("c", 4, 0, 3), LiveBuffer("d", 3, 7, 9)};
    const auto plan = PlanMemory(problem_, "optimal");
    ASSERT_TRUE(plan.ok()) << plan.status();
    plan_ = *plan;
    ASSERT_EQ(Bound().kind, BoundKind::kSearch);
    ASSERT_EQ(Bound().bytes, 17);
    ASSERT_THAT(Bound().live, ElementsAre(0, 1, 2));
    ASSERT_TRUE(plan_.proven_optimal);
    ASSERT_TRUE(CheckPlan(problem_, plan_).ok());
    ASSERT_EQ(CheckPlan(problem_, plan_).on_trust, 0);
  }

  LowerBound& Bound() { return plan_.pools[0].lower_bound; }

  void Expect(std::string_view text) {
    const PlanVerdict verdict = CheckPlan(problem_, plan_);
    EXPECT_EQ(verdict.fault, PlanFault::kWitness) << verdict.message;
    EXPECT_THAT(verdict.message, HasSubstr(std::string(text)));
  }

  Problem problem_;
  Plan plan_;
};

TEST_F(SearchWitnessTest, MoreBytes) {
  Bound().bytes = 18;
  Expect("has the lower bound 18, but the buffers of its witness fit into less");
}

TEST_F(SearchWitnessTest, WithoutOneOfItsBuffers) {
  for (size_t i = 0; i < 3; ++i) {
    const LowerBound whole = Bound();
    Bound().live.erase(Bound().live.begin() + static_cast<ptrdiff_t>(i));
    Expect("fit into less");
    Bound() = whole;
  }
}

TEST_F(SearchWitnessTest, OtherBuffers) {
  Bound().live = {0, 1, 3};
  Expect("fit into less");
  Bound().live = {0, 1, 2, 2};
  Expect("has buffer `c` twice");
  Bound().live = {0, 1, 9};
  Expect("has buffer number 9");
  Bound().live = {};
  Expect("has a record of no search: 0 buffers");
}

TEST_F(SearchWitnessTest, BuffersThatCouldBeElsewhere) {
  problem_.buffers[2].pools = {0, 1};
  Expect("has buffer `c` in its witness, which may also be in `other`");
}

TEST_F(SearchWitnessTest, NoSearchOrATime) {
  Bound().searched = 0;
  Expect("has a record of no search: 3 buffers, 0 steps");
  Bound().searched = 1;
  Bound().time = 2;
  Expect("has a record of no search");
}

TEST_F(SearchWitnessTest, AnotherKind) {
  Bound().kind = BoundKind::kLive;
  Expect("has a search in the record of a bound that needs none");
  Bound().searched = 0;
  Expect("has the lower bound 17, but its witness shows 14");
}

TEST_F(SearchWitnessTest, AWeakerBoundIsRightButProvesLess) {
  Bound().bytes = 16;
  EXPECT_EQ(CheckPlan(problem_, plan_).fault, PlanFault::kOptimality);
  plan_.proven_optimal = false;
  for (const int64_t bytes : {16, 2, 1}) {
    Bound().bytes = bytes;
    EXPECT_TRUE(CheckPlan(problem_, plan_).ok()) << bytes;
  }
  Bound().bytes = 0;
  Expect("has a record of no search: 3 buffers, ");
}

TEST_F(SearchWitnessTest, ProblemsThatAllowMore) {
  problem_.buffers[0].alignment = 1;
  Expect("fit into less");
  problem_.buffers[0].alignment = 4;
  problem_.buffers[1].gaps = {{0, 4, 0, 1}};
  Expect("fit into less");
  problem_.buffers[1].gaps.clear();
  problem_.relations = {{.kind = RelationKind::kMayShare, .a = 0, .b = 2, .allowed = {}}};
  Expect("fit into less");
}

TEST_F(SearchWitnessTest, SearchesThatAreTooLongAreNotRepeated) {
  for (int i = 0; i < 30; ++i) {
    problem_.buffers.push_back(LiveBuffer("e", 0, 0, 3));
    plan_.placements.push_back({0, 0});
    Bound().live.push_back(static_cast<int32_t>(problem_.buffers.size()) - 1);
  }
  const PlanVerdict verdict = CheckPlan(problem_, plan_);
  EXPECT_TRUE(verdict.ok()) << verdict.message;
  EXPECT_EQ(verdict.on_trust, 1);
}

TEST(RepeatSearchTest, EqualsExhaustiveSearch) {
  int decided = 0;
  constexpr uint32_t kRounds = 1000;
  for (uint32_t seed = 0; seed < kRounds; ++seed) {
    RandomTraits traits;
    traits.buffers = 2 + static_cast<int32_t>(seed % 6);
    traits.gaps = seed % 3 == 0;
    traits.relations = seed % 2 == 0;
    traits.holes = seed % 3 == 1;
    traits.constants = seed % 5 == 0;
    traits.groups = seed % 7 == 0;
    traits.fixed = seed % 11 == 0;
    const Problem problem = RandomProblem(seed).Make(traits);
    const auto least = Exhaustive(problem).LeastSize(64);
    std::vector<int32_t> all(problem.buffers.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int32_t>(i);
    if (least) {
      EXPECT_EQ(RepeatSearch(problem, 0, all, *least), RepeatedSearch::kFits) << seed;
    }
    const RepeatedSearch below = RepeatSearch(problem, 0, all, least.value_or(65) - 1);
    EXPECT_NE(below, RepeatedSearch::kFits) << seed;
    decided += below == RepeatedSearch::kNoPlace ? 1 : 0;
  }
  EXPECT_GT(decided, static_cast<int>(kRounds * 9 / 10));
}

}  // namespace
}  // namespace tenon::planner
