#include "planner/formats/plan_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/planner.h"

namespace tenon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Read {
  std::shared_ptr<SourceManager> sources = std::make_shared<SourceManager>();
  std::optional<PlanCsv> csv;
  std::string errors;
};

Read ReadText(std::string_view text, const PlanCsvOptions& options = {}) {
  Diagnostics diagnostics;
  Read read;
  read.csv = ParsePlanCsv(*read.sources, "p.csv", text, nullptr, diagnostics, options);
  read.errors = Render(*read.sources, diagnostics);
  return read;
}

TEST(PlanCsv, ReadsColumnsInAnyOrder) {
  const Read read = ReadText("size,id,upper,lower\n4,b1,3,0\n16,b2,9,3\n");
  ASSERT_TRUE(read.csv) << read.errors;
  const std::vector<planner::Buffer>& buffers = read.csv->problem.buffers;
  ASSERT_EQ(buffers.size(), 2U);
  EXPECT_EQ(buffers[0].name, "b1");
  EXPECT_EQ(buffers[0].size, 4);
  EXPECT_THAT(buffers[0].lifetimes, ElementsAre(planner::Lifetime{0, 3}));
  EXPECT_THAT(buffers[1].lifetimes, ElementsAre(planner::Lifetime{3, 9}));
  EXPECT_TRUE(planner::ValidateProblem(read.csv->problem).ok());
}

TEST(PlanCsv, ReadsAlignmentGapsAndOffsets) {
  const Read read = ReadText(
      "id,lower,upper,size,alignment,gaps,offset\r\n"
      "a,0,10,64,32,2-4 5-6@0:8,128\r\n"
      "b,0,10,64,,,\r\n");
  ASSERT_TRUE(read.csv) << read.errors;
  const planner::Buffer& a = read.csv->problem.buffers[0];
  EXPECT_EQ(a.alignment, 32);
  EXPECT_EQ(a.fixed_offset, 128);
  EXPECT_THAT(a.gaps, ElementsAre(planner::GapWindow{2, 4, 0, 0}, planner::GapWindow{5, 6, 0, 8}));
  const planner::Buffer& b = read.csv->problem.buffers[1];
  EXPECT_EQ(b.alignment, 1);
  EXPECT_FALSE(b.fixed_offset.has_value());
  EXPECT_TRUE(planner::ValidateProblem(read.csv->problem).ok());
}

TEST(PlanCsv, TheColumnsOfALineHaveTheirTexts) {
  const Read read = ReadText("size,id,upper,lower\n4,b1,3,0\n");
  ASSERT_TRUE(read.csv) << read.errors;
  const PlanCsvColumns& columns = read.csv->columns;
  EXPECT_EQ(columns.Of(PlanColumn::kSize, "44, b1 ,30,2"), "44");
  EXPECT_EQ(columns.Of(PlanColumn::kId, "44, b1 ,30,2"), "b1");
  EXPECT_EQ(columns.Of(PlanColumn::kLower, "44, b1 ,30,2"), "2");
  EXPECT_EQ(columns.Of(PlanColumn::kAlignment, "44, b1 ,30,2"), "");
}

TEST(PlanCsv, ABufferThatIsNeverLiveHasNoLifetime) {
  const Read read = ReadText("id,lower,upper,size\na,5,5,64\n");
  ASSERT_TRUE(read.csv) << read.errors;
  EXPECT_TRUE(read.csv->problem.buffers[0].lifetimes.empty());
}

TEST(PlanCsv, WritesTheLinesWithOffsets) {
  const Read read = ReadText("id,offset,lower,upper,size\na,,0,3,4\nb,8,3,9,16\n");
  ASSERT_TRUE(read.csv) << read.errors;
  const auto plan = planner::PlanMemory(read.csv->problem, planner::kDefaultAlgorithm);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(*WritePlanCsv(*read.csv, *plan), "id,lower,upper,size,offset\na,0,3,4,0\nb,3,9,16,8\n");
}

TEST(PlanCsv, ReportsEverythingThatIsWrong) {
  const Read read = ReadText(
      "id,lower,upper,size,alignment,gaps,offset\n"
      "a,x,3,4,1,,\n"
      "b,4,3,4,1,,\n"
      "c,0,3,-4,1,,\n"
      "d,0,3,4,3,,\n"
      "e,0,3,4,1,1-9,\n"
      "f,0,3,4,1,huh,\n"
      "g,0,3,4,1,1-2@0:5,\n"
      "h,0,3,4,1,,-1\n"
      "i,0,3\n"
      ",0,3,4,1,,\n"
      "j,0,99999999999999999999,4,1,,\n");
  EXPECT_FALSE(read.csv);
  for (const char* expected :
       {"p.csv:2:3: error: expected a 64-bit integer as lower, found `x` [csv]",
        "p.csv:3:5: error: a lifetime that ends at 3 before it begins at 4 [csv]",
        "p.csv:4:7: error: size -4 is out of range, expected 0 to 2^62-1 [csv]",
        "p.csv:5:9: error: alignment 3, expected a power of two up to 2^40 [csv]",
        "p.csv:6:11: error: a gap from 1 to 9 in a lifetime from 0 to 3 [csv]",
        "p.csv:7:11: error: expected a gap as lower-upper or lower-upper@first:end, found `huh` "
        "[csv]",
        "p.csv:8:11: error: bytes 0 to 5 of a buffer of 4 [csv]",
        "p.csv:9:12: error: offset -1 is negative [csv]",
        "p.csv:10:1: error: 3 fields, expected 7 [csv]",
        "p.csv:11:1: error: a buffer without id [csv]",
        "p.csv:12:5: error: expected a 64-bit integer as upper, found `99999999999999999999` "
        "[csv]"}) {
    EXPECT_THAT(read.errors, HasSubstr(expected));
  }
}

TEST(PlanCsv, ReadsLifetimesPoolsAndGroups) {
  const Read read = ReadText(
      "id,size,lower,upper,lifetimes,gaps,pools,groups,kind,bytes_read,pool,offset\n"
      "a,8,0,9,0-3 5-9,6-7,q p,x y,output,7,p,16\n"
      "b,8,-3,0,,,q,y,,,,\n"
      "c,8,,,4-5,,,,constant,,,\n");
  ASSERT_TRUE(read.csv) << read.errors;
  const planner::Problem& problem = read.csv->problem;
  ASSERT_EQ(problem.pools.size(), 2U);
  EXPECT_EQ(problem.pools[0].name, "q");
  const planner::Buffer& a = problem.buffers[0];
  EXPECT_THAT(a.lifetimes, ElementsAre(planner::Lifetime{0, 3}, planner::Lifetime{5, 9}));
  EXPECT_THAT(a.gaps, ElementsAre(planner::GapWindow{6, 7, 0, 0}));
  EXPECT_THAT(a.pools, ElementsAre(1));
  EXPECT_THAT(a.groups, ElementsAre(0, 1));
  EXPECT_EQ(a.kind, planner::BufferKind::kOutput);
  EXPECT_EQ(a.bytes_read, 7);
  EXPECT_EQ(a.fixed_offset, 16);
  EXPECT_THAT(problem.buffers[1].lifetimes, ElementsAre(planner::Lifetime{-3, 0}));
  EXPECT_THAT(problem.buffers[1].groups, ElementsAre(1));
  EXPECT_THAT(problem.buffers[2].pools, ElementsAre(0, 1));
  EXPECT_TRUE(planner::ValidateProblem(problem).ok());
}

TEST(PlanCsv, ReportsWhatIsWrongWithTheOtherColumns) {
  const Read read = ReadText(
      "id,size,lower,upper,lifetimes,gaps,pools,groups,kind,bytes_read,pool,offset\n"
      "a,8,,,0-3 2-5,,,,,,,\n"
      "b,8,0,9,0-3 5-8,,,,,,,\n"
      "c,8,,,0-x,,,,,,,\n"
      "d,8,0,9,,3-3,,,,,,\n"
      "e,8,0,9,,,p p,,,,,\n"
      "f,8,0,9,,,,g g,,,,\n"
      "g,8,0,9,,,,,big,,,\n"
      "h,8,0,9,,,,,,-1,,\n"
      "i,8,0,9,,,p,,,,q,\n"
      "j,8,0,9,,,,,,,,4611686018427387904\n"
      "k,8,,,,,,,,,,\n"
      "l,8,0,9,,1-4 3-5,,,,,,\n"
      "m,8,,,0-3 5-8,3-5,,,,,,\n");
  EXPECT_FALSE(read.csv);
  for (const char* expected :
       {"p.csv:2:7: error: lifetimes that overlap at 2 [csv]",
        "p.csv:3:5: error: lower and upper are 0 and 9, but the lifetimes are from 0 to 8 [csv]",
        "p.csv:4:7: error: expected a lifetime as lower-upper, found `0-x` [csv]",
        "p.csv:5:10: error: an empty gap at 3 [csv]", "p.csv:6:13: error: duplicate `p` [csv]",
        "p.csv:7:14: error: duplicate `g` [csv]",
        "p.csv:8:13: error: unknown kind `big`, expected intermediate, input, output or constant",
        "p.csv:9:14: error: bytes_read -1 is negative [csv]",
        "p.csv:10:16: error: the pool `q` is not among the buffer's `pools` [csv]",
        "p.csv:11:16: error: offset 4611686018427387904 is out of range, expected 0 to 2^62-1",
        "p.csv:12:5: error: expected a 64-bit integer as lower, found `` [csv]",
        "p.csv:13:10: error: gaps that overlap at 3 [csv]",
        "p.csv:14:15: error: expected a gap inside one of the 2 lifetimes, found one from 3 to 5 "
        "[csv]"}) {
    EXPECT_THAT(read.errors, HasSubstr(expected));
  }
  const std::string errors =
      ReadText("id,size,upper,lifetimes\na,8,0,\n").errors;  // only one of lower and upper
  EXPECT_THAT(errors, HasSubstr("p.csv:1:1: error: the column `lower` is missing [csv]"));
}

TEST(PlanCsv, ReadOnlyPoolsOnlyTakeConstants) {
  planner::Pool flash;
  flash.name = "flash";
  flash.kind = planner::PoolKind::kReadOnly;
  PlanCsvOptions options;
  options.pools = {flash};
  EXPECT_THAT(ReadText("id,lower,upper,size\na,0,1,8\n", options).errors,
              HasSubstr("p.csv:2:1: error: all pools are read-only, but this is not a constant"));
  EXPECT_THAT(
      ReadText("id,lower,upper,size,pools\na,0,1,8,flash\n", options).errors,
      HasSubstr("p.csv:2:1: error: the pool `flash` is read-only, and takes only constants"));
  EXPECT_TRUE(ReadText("id,lower,upper,size,kind\na,0,1,8,constant\n", options).csv);
}

TEST(PlanCsv, ReportsWhatIsWrongWithTheHeader) {
  EXPECT_THAT(ReadText("").errors, HasSubstr("an empty file, expected a header"));
  const std::string errors = ReadText("id,id,lower,colour\n").errors;
  EXPECT_THAT(errors, HasSubstr("p.csv:1:4: error: duplicate column `id` [csv]"));
  EXPECT_THAT(errors, HasSubstr("p.csv:1:13: error: unknown column `colour`"));
  EXPECT_THAT(errors, HasSubstr("the column `upper` is missing"));
  EXPECT_THAT(errors, HasSubstr("the column `size` is missing"));
  EXPECT_THAT(ReadText("id,lower,uper,size\n").errors, HasSubstr("did you mean `upper`?"));
  for (const char* other : {"buffer", "buffer_id", "start", "begin", "end"}) {
    EXPECT_THAT(ReadText(std::string("id,lower,upper,size,") + other + "\n").errors,
                HasSubstr(std::string("unknown column `") + other + "`"));
  }
  EXPECT_EQ(ReadText("a,0,4,8\nb,2,6,8\n").errors,
            "p.csv:1:1: error: the first line is not a header; expected `id,lower,upper,size` "
            "[csv]\n  a,0,4,8\n  ^~~~~~~\n");
}

}  // namespace
}  // namespace tenon
