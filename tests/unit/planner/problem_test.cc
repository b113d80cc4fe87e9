#include "planner/problem/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/planner/problems.h"

namespace tenon::planner {
namespace {

using ::testing::HasSubstr;

Problem ThreeBuffers() {
  Problem problem = IntervalProblem({{0, 9, 8}, {0, 4, 8}, {5, 9, 8}});
  problem.pools.push_back(MakePool("flash"));
  problem.pools[1].kind = PoolKind::kReadOnly;
  return problem;
}

struct InvalidCase {
  const char* message;
  std::function<void(Problem&)> damage;
};

const InvalidCase kInvalidCases[] = {
    {"pool `flash` has the capacity -2", [](Problem& p) { p.pools[1].capacity = -2; }},
    {"pool `flash` has the alignment 0", [](Problem& p) { p.pools[1].alignment = 0; }},
    {"pool `flash` has the base offset -1", [](Problem& p) { p.pools[1].base_offset = -1; }},
    {"`0` has the size -1", [](Problem& p) { p.buffers[0].size = -1; }},
    {"`0` has the size 4611686018427387904",
     [](Problem& p) { p.buffers[0].size = int64_t{1} << 62; }},
    {"`0` has the alignment 24", [](Problem& p) { p.buffers[0].alignment = 24; }},
    {"`0` has the fixed offset -8", [](Problem& p) { p.buffers[0].fixed_offset = -8; }},
    {"[5, 4), which ends before",
     [](Problem& p) {
       p.buffers[0].lifetimes = {{5, 4}};
     }},
    {"overlap or are not in order at 2",
     [](Problem& p) {
       p.buffers[0].lifetimes = {{0, 3}, {2, 4}};
     }},
    {"gap [8, 12) outside its lifetimes",
     [](Problem& p) {
       p.buffers[0].gaps = {{8, 12, 0, 0}};
     }},
    {"gaps that overlap or are not in order at [1, 3)",
     [](Problem& p) {
       p.buffers[0].gaps = {{0, 2, 0, 0}, {1, 3, 0, 0}};
     }},
    {"`0` of 8 bytes has a gap that uses the bytes [4, 9)",
     [](Problem& p) {
       p.buffers[0].gaps = {{0, 2, 4, 9}};
     }},
    {"`1` has no candidate pool", [](Problem& p) { p.buffers[1].pools.clear(); }},
    {"candidate pool number 2, but there are 2",
     [](Problem& p) {
       p.buffers[1].pools = {0, 2};
     }},
    {"candidate pool `default` twice",
     [](Problem& p) {
       p.buffers[1].pools = {0, 0};
     }},
    {"is not a constant, but has the read-only pool `flash`",
     [](Problem& p) { p.buffers[1].pools = {1}; }},
    {"names the buffers 0 and 3",
     [](Problem& p) { p.relations = {{.a = 0, .b = 3, .allowed = {}}}; }},
    {"`1` is related to itself",
     [](Problem& p) { p.relations = {{.a = 1, .b = 1, .allowed = {}}}; }},
    {"`1` and `0` have two relations",
     [](Problem& p) {
       p.relations = {{.a = 0, .b = 1, .allowed = {}}, {.a = 1, .b = 0, .allowed = {}}};
     }},
    {"allows no offset difference",
     [](Problem& p) {
       p.relations = {{.kind = RelationKind::kOffsetDifference, .a = 0, .b = 1, .allowed = {}}};
     }},
    {"has the empty range [3, 2]",
     [](Problem& p) {
       p.relations = {
           {.kind = RelationKind::kOffsetDifference, .a = 0, .b = 1, .allowed = {{3, 2}}}};
     }},
    {"the memory pressure is -1", [](Problem& p) { p.memory_pressure = -1; }},
    {"1 conflict lists for 3 buffers", [](Problem& p) { p.conflicts = ConflictLists{{}}; }},
    {"`2` conflicts with buffer number 3",
     [](Problem& p) {
       p.conflicts = ConflictLists{{}, {}, {3}};
     }},
};

TEST(ProblemTest, ValidProblemPasses) { EXPECT_TRUE(ValidateProblem(ThreeBuffers()).ok()); }

TEST(ProblemTest, LifetimesAndGapsMayTouch) {
  Problem problem = ThreeBuffers();
  problem.buffers[0].lifetimes = {{0, 3}, {3, 5}};
  problem.buffers[0].gaps = {{0, 1, 0, 0}, {1, 3, 0, 8}, {3, 5, 0, 0}};
  EXPECT_TRUE(ValidateProblem(problem).ok()) << ValidateProblem(problem);
}

TEST(ProblemTest, EveryRuleIsChecked) {
  for (const InvalidCase& c : kInvalidCases) {
    Problem problem = ThreeBuffers();
    c.damage(problem);
    const absl::Status status = ValidateProblem(problem);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message));
    EXPECT_EQ(PlanMemory(problem, "first_fit").status(), status);
  }
}

TEST(ProblemTest, AlignOffsetCountsTheBase) {
  EXPECT_EQ(AlignOffset(0, 16, 0), 0);
  EXPECT_EQ(AlignOffset(1, 16, 0), 16);
  EXPECT_EQ(AlignOffset(0, 16, 4), 12);
  EXPECT_EQ(AlignOffset(13, 16, 4), 28);
  EXPECT_GE(AlignOffset(kMaxBytes + 1, kMaxAlignment, kMaxAlignment), kMaxBytes);
}

}  // namespace
}  // namespace tenon::planner
