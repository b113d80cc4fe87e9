#include "planner/formats/plan_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "planner/formats/plan_csv.h"
#include "planner/planner.h"
#include "tests/unit/planner/random_problem.h"

namespace tenon {
namespace {

using planner::Problem;
using ::testing::HasSubstr;

struct Read {
  std::shared_ptr<SourceManager> sources = std::make_shared<SourceManager>();
  std::optional<PlanFile> file;
  std::string errors;
};

Read ReadText(std::string_view text) {
  Diagnostics diagnostics;
  Read read;
  read.file = ParsePlanJson(*read.sources, "p.json", text, nullptr, diagnostics);
  read.errors = Render(*read.sources, diagnostics);
  return read;
}

/// Everything in a problem except group numbers.
PlanFile FileOf(Problem problem) {
  PlanFile file;
  for (const char* name : {"g0", "g1", "g2"}) file.groups.emplace_back(name);
  file.problem = std::move(problem);
  return file;
}

TEST(PlanJsonTest, ProblemsComeBackAsTheyAre) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    planner::RandomProblem random(seed);
    planner::RandomTraits traits;
    traits.buffers = static_cast<int32_t>(random.Draw(0, 9));
    traits.pools = static_cast<int32_t>(random.Draw(1, 3));
    traits.gaps = traits.holes = traits.groups = traits.constants = traits.relations = true;
    traits.fixed = traits.buffers > 0;
    Problem problem = random.Make(traits);
    if (random.Draw(0, 1) == 0 && traits.buffers > 1) {
      problem.buffers[0].name = problem.buffers[1].name;  // named by number then
    }
    if (random.Draw(0, 3) == 0) {
      problem.conflicts.emplace(problem.buffers.size());
      if (traits.buffers > 1) (*problem.conflicts)[0] = {1, 1};
      problem.memory_pressure = 7;
    }
    problem.pools[0].cost = {5, 4, 3, 2, 1};
    const std::string text = WriteProblemJson(FileOf(problem));
    const Read read = ReadText(text);
    ASSERT_TRUE(read.file) << text << read.errors;
    EXPECT_EQ(WriteProblemJson(*read.file), text);
    const auto plan = planner::PlanMemory(problem, "first_fit");
    const auto again = planner::PlanMemory(read.file->problem, "first_fit");
    ASSERT_EQ(plan.ok(), again.ok());
    if (plan.ok()) {
      EXPECT_EQ(plan->placements, again->placements) << text;
    }
  }
}

TEST(PlanJsonTest, TablesBecomeJsonAndComeBack) {
  const std::string csv =
      "id,lower,upper,size,alignment,gaps,lifetimes,kind,groups,bytes_read,bytes_written,pools,"
      "offset\n"
      "a,0,9,64,32,1-2 6-7@0:8,0-3 5-9,intermediate,x,1,2,fast slow,\n"
      "b,-4,6,32,1,,,output,x y,0,0,slow,64\n"
      "c,0,0,8,1,,,constant,,0,0,fast slow,\n";
  SourceManager sources;
  Diagnostics diagnostics;
  const auto read = ParsePlanCsv(sources, "p.csv", csv, nullptr, diagnostics);
  ASSERT_TRUE(read) << Render(sources, diagnostics);
  EXPECT_EQ(*WriteProblemCsv(*read), csv);
  const Read json = ReadText(WriteProblemJson(*read));
  ASSERT_TRUE(json.file) << json.errors;
  EXPECT_EQ(*WriteProblemCsv(*json.file), csv);
}

TEST(PlanJsonTest, ATableSaysWhatItCannot) {
  const Read read = ReadText(
      R"({"pools": [{"name": "p", "capacity": 9}], "buffers": [{"id": "a", "size": 1},
          {"id": "b", "size": 1}], "relations": [{"kind": "disjoint", "a": "a", "b": "b"}],
          "conflicts": [[1], [0]], "memory_pressure": 3})");
  ASSERT_TRUE(read.file) << read.errors;
  EXPECT_THAT(std::string(WriteProblemCsv(*read.file).status().message()),
              HasSubstr("CSV cannot hold relations, conflict lists, a memory pressure, "
                        "properties of the pool `p`"));
  const Read comma = ReadText(R"({"buffers": [{"id": "a,b", "size": 1}]})");
  EXPECT_THAT(std::string(WriteProblemCsv(*comma.file).status().message()),
              HasSubstr("the id `a,b` cannot stand in a CSV table"));
  // Blanks at the ends of a field do not come back.
  for (const char* id : {" a", "a ", "\\ta", "a\\t", "a\\nb", "a\\rb"}) {
    const Read read = ReadText(fmt::format(R"({{"buffers": [{{"id": "{}", "size": 1}}]}})", id));
    ASSERT_TRUE(read.file) << read.errors;
    EXPECT_FALSE(WriteProblemCsv(*read.file).ok()) << id;
  }
  const Read blank = ReadText(R"({"buffers": [{"id": "a b", "size": 1}]})");
  EXPECT_EQ(*WriteProblemCsv(*blank.file), "id,lower,upper,size\na b,0,0,1\n");
}

TEST(PlanJsonTest, TablesHaveNoColumnsThatNobodyNeeds) {
  const std::string csv = "id,lower,upper,size\na,0,9,64\nb,-4,6,32\n";
  SourceManager sources;
  Diagnostics diagnostics;
  const auto read = ParsePlanCsv(sources, "p.csv", csv, nullptr, diagnostics);
  ASSERT_TRUE(read) << Render(sources, diagnostics);
  EXPECT_EQ(*WriteProblemCsv(*read), csv);
}

TEST(PlanJsonTest, ReportsEverythingThatIsWrong) {
  const Read read = ReadText(R"({"version": 2, "colour": 1,
"pools": [{"name": "p", "capacity": -1, "alignment": 3, "base_offset": "x", "kind": "rom"},
  {"name": "p"}, {}, {"name": "q", "kind": "read-only", "cost": {"speed": 1}}, 5],
"buffers": [{"id": "", "size": 4611686018427387904}, {"size": 1, "size": 2},
  {"id": "c", "size": 8, "lifetimes": [[3, 1], [0], [5, 7], [6, 8], "x"], "gaps": [[9, 10]]},
  {"id": "d", "size": 8, "lifetimes": [[0, 4]], "gaps": [[1, 2, 0, 9], [1, 2, 3]]},
  {"id": "e", "size": 8, "pools": ["p", "p", "zz"], "groups": [], "kind": "big", "offset": -1},
  {"id": "e", "size": 1.5, "bytes_read": null}],
"relations": [{"kind": "near", "a": "c", "b": "d"}, {"kind": "disjoint", "a": true}],
"memory_pressure": -1})");
  EXPECT_FALSE(read.file);
  for (const char* expected :
       {"p.json:1:13: error: version 2 of the format, expected 1 [unsupported]",
        "p.json:1:16: error: unknown member `colour` of a problem",
        "p.json:2:37: error: `capacity` is -1, expected an integer from 0 to",
        "p.json:2:54: error: `alignment` is 3, expected a power of two [literal]",
        "p.json:2:72: error: `base_offset` is a string, expected an integer [type]",
        "p.json:2:85: error: unknown kind `rom`, expected read-write or read-only",
        "p.json:3:12: error: duplicate pool `p` [duplicate-name]",
        "p.json:3:18: error: a pool without `name` [arguments]",
        "p.json:3:66: error: unknown member `speed` of a cost",
        "p.json:3:80: error: a pool is an integer, expected an object [type]",
        "p.json:4:20: error: `id` is empty",
        "p.json:4:32: error: `size` is 4611686018427387904",
        "p.json:4:66: error: `size` is given already",
        "p.json:4:54: error: a buffer without `id`",
        "p.json:5:40: error: a lifetime that ends at 1 before it begins at 3",
        "p.json:5:48: error: a lifetime has 1 numbers, expected 2",
        "p.json:5:61: error: expected lifetimes in order, found one from 6 after one that ends at "
        "7",
        "p.json:5:69: error: a lifetime is a string, expected an array",
        "p.json:5:84: error: a gap from 9 to 10 in a lifetime from 5 to 7",
        "p.json:6:58: error: bytes 0 to 9 of a buffer of 8",
        "p.json:6:72: error: a gap has 3 numbers, expected 2 or 4",
        "p.json:7:41: error: duplicate `p`",
        "p.json:7:63: error: `groups` is empty",
        "p.json:7:75: error: unknown kind `big`",
        "p.json:7:92: error: `offset` is -1",
        "p.json:8:23: error: `size` is 1.5",
        "p.json:8:42: error: `bytes_read` is null",
        "p.json:9:24: error: unknown kind `near`",
        "p.json:9:79: error: `a` is a boolean",
        "p.json:9:53: error: a relation without `b`",
        "p.json:10:20: error: `memory_pressure` is -1"}) {
    EXPECT_THAT(read.errors, HasSubstr(expected));
  }
}

TEST(PlanJsonTest, ReportsNamesThatNobodyHas) {
  EXPECT_THAT(
      ReadText(R"({"pools": [{"name": "p"}], "buffers": [{"id": "a", "size": 1, "pools": ["q"]}]})")
          .errors,
      HasSubstr("p.json:1:73: error: unknown pool `q` [undefined-name]"));
  const Read read = ReadText(R"({"buffers": [{"id": "a", "size": 1}, {"id": "b", "size": 1},
  {"id": "b", "size": 2}], "conflicts": [["x"]],
"relations": [{"kind": "disjoint", "a": "a", "b": "z"}, {"kind": "disjoint", "a": "a", "b": "b"},
 {"kind": "disjoint", "a": 0, "b": 3}, {"kind": "disjoint", "a": 0, "b": 0},
 {"kind": "disjoint", "a": 0, "b": 1}, {"kind": "may-share", "a": 1, "b": "a"}]})");
  for (const char* expected : {"p.json:2:28: error: 1 conflict lists for 3 buffers [arguments]"}) {
    EXPECT_THAT(read.errors, HasSubstr(expected));
  }
  const Read relations = ReadText(R"({"buffers": [{"id": "a", "size": 1}, {"id": "b", "size": 1},
  {"id": "b", "size": 2}],
"relations": [{"kind": "disjoint", "a": "a", "b": "z"}, {"kind": "disjoint", "a": "a", "b": "b"},
 {"kind": "disjoint", "a": 0, "b": 3}, {"kind": "disjoint", "a": 0, "b": 0},
 {"kind": "disjoint", "a": 0, "b": 1}, {"kind": "may-share", "a": 1, "b": "a"},
 {"kind": "may-share", "a": 1, "b": 2, "allowed": [[0, 1]]},
 {"kind": "offset-difference", "a": 1, "b": 2}]})");
  EXPECT_THAT(relations.errors, HasSubstr("p.json:6:2: error: only an offset-difference has"));
  EXPECT_THAT(relations.errors, HasSubstr("p.json:7:2: error: an offset-difference without"));
  const Read found = ReadText(R"({"buffers": [{"id": "a", "size": 1}, {"id": "b", "size": 1},
  {"id": "b", "size": 2}],
"relations": [{"kind": "disjoint", "a": "a", "b": "z"}, {"kind": "disjoint", "a": "a", "b": "b"},
 {"kind": "disjoint", "a": 0, "b": 3}, {"kind": "disjoint", "a": 0, "b": 0},
 {"kind": "disjoint", "a": 0, "b": 1}, {"kind": "may-share", "a": 1, "b": "a"}]})");
  for (const char* expected :
       {"p.json:3:51: error: no buffer has the id `z` [undefined-name]",
        "p.json:3:93: error: several buffers have the id `b`; name it by its number",
        "p.json:4:36: error: buffer number 3, but there are 3, from 0",
        "p.json:4:40: error: a relation of a buffer to itself",
        "p.json:5:40: error: duplicate relation of `b` and `a`"}) {
    EXPECT_THAT(found.errors, HasSubstr(expected));
  }
}

TEST(PlanJsonTest, BrokenTextsAreLocated) {
  EXPECT_THAT(ReadText("{\"buffers\": [\n{\"id\": 5 6}]}").errors,
              HasSubstr("p.json:2:10: error:"));
  EXPECT_THAT(ReadText("[]").errors, HasSubstr("the root is an array, expected an object"));
  EXPECT_THAT(ReadText("{}").errors, HasSubstr("the problem has no list `buffers`"));
  EXPECT_THAT(ReadText("{\"buffers\": 1}").errors, HasSubstr("`buffers` is an integer"));
  const std::string deep = "{\"buffers\": [" + std::string(100000, '[');
  EXPECT_THAT(ReadText(deep).errors, HasSubstr("more than 8 nested arrays and objects"));
  std::string pools = "{\"buffers\": [], \"pools\": [{\"name\": \"p0\"}";
  for (int i = 1; i < 1100; ++i) pools += ",{\"name\": \"p" + std::to_string(i) + "\"}";
  EXPECT_THAT(ReadText(pools + "]}").errors, HasSubstr("more than 1024 pools"));
}

TEST(PlanJsonTest, PoolOptionsAreChecked) {
  const auto pool = ParsePoolOption("sram:4096:align=64:base=128:read-only");
  ASSERT_TRUE(pool.ok()) << pool.status();
  EXPECT_EQ(pool->name, "sram");
  EXPECT_EQ(pool->capacity, 4096);
  EXPECT_EQ(pool->alignment, 64);
  EXPECT_EQ(pool->base_offset, 128);
  EXPECT_EQ(pool->kind, planner::PoolKind::kReadOnly);
  for (const char* text : {"", ":5", "p:-1", "p:x", "p:align=3", "p:base=-1",
                           "p:", "p:5:", "p:9999999999999999999999"}) {
    EXPECT_FALSE(ParsePoolOption(text).ok()) << text;
  }
}

}  // namespace
}  // namespace tenon
