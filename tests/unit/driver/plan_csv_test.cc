#include "driver/plan_csv.h"

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

TEST(PlanCsv, AnEndColumnIsIncluded) {
  const Read read = ReadText("buffer_id,start,end,size\na,0,2,64\n");
  ASSERT_TRUE(read.csv) << read.errors;
  EXPECT_THAT(read.csv->problem.buffers[0].lifetimes, ElementsAre(planner::Lifetime{0, 3}));
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
       {"p.csv:2:3: error: lower `x` is no 64-bit integer [csv]",
        "p.csv:3:5: error: a lifetime that ends at 3 before it begins at 4 [csv]",
        "p.csv:4:7: error: size -4 is out of range, expected 0 to 2^62-1 [csv]",
        "p.csv:5:9: error: alignment 3, expected a power of two up to 2^40 [csv]",
        "p.csv:6:11: error: a gap from 1 to 9 in a lifetime from 0 to 3 [csv]",
        "p.csv:7:11: error: `huh` is no gap, expected lower-upper or lower-upper@first:end [csv]",
        "p.csv:8:11: error: bytes 0 to 5 of a buffer of 4 [csv]",
        "p.csv:9:12: error: offset -1 is negative [csv]",
        "p.csv:10:1: error: 3 fields, expected 7 [csv]",
        "p.csv:11:1: error: a buffer without id [csv]",
        "p.csv:12:5: error: upper `99999999999999999999` is no 64-bit integer [csv]"}) {
    EXPECT_THAT(read.errors, HasSubstr(expected));
  }
}

TEST(PlanCsv, ReportsWhatIsWrongWithTheHeader) {
  EXPECT_THAT(ReadText("").errors, HasSubstr("an empty file, expected a header"));
  const std::string errors = ReadText("id,id,lower,colour\n").errors;
  EXPECT_THAT(errors, HasSubstr("p.csv:1:4: error: a second column `id` [csv]"));
  EXPECT_THAT(errors, HasSubstr("p.csv:1:13: error: unknown column `colour`"));
  EXPECT_THAT(errors, HasSubstr("the column `upper` is missing"));
  EXPECT_THAT(errors, HasSubstr("the column `size` is missing"));
}

}  // namespace
}  // namespace tenon
