// Plans as files: what is written is read again and judged right; what is changed is an error at
// its place.

#include "planner/formats/plan_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/formats/plan_json.h"
#include "planner/planner.h"
#include "tests/unit/planner/problems.h"
#include "tests/unit/planner/random_problem.h"

namespace tenon {
namespace {

using planner::Placement;
using planner::Problem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

PlanFile FileOf(Problem problem) {
  PlanFile file;
  for (const char* name : {"g0", "g1", "g2"}) file.groups.emplace_back(name);
  file.problem = std::move(problem);
  return file;
}

/// A plan that was read, and the line of its judge or all errors.
struct Judged {
  std::shared_ptr<SourceManager> sources = std::make_shared<SourceManager>();
  std::optional<PlanAnswer> answer;
  std::optional<std::string> line;
  std::string errors;
};

Judged ReadAndJudge(const PlanFile& problem, std::string_view text,
                    std::string_view name = "plan.json",
                    const planner::PreviousPlacements* previous = nullptr) {
  Judged judged;
  Diagnostics diagnostics;
  judged.answer = ReadPlanAnswer(*judged.sources, {name, text, nullptr}, problem, diagnostics);
  if (judged.answer) judged.line = JudgePlanAnswer(problem, *judged.answer, previous, diagnostics);
  judged.errors = Render(*judged.sources, diagnostics);
  EXPECT_EQ(judged.line.has_value(), judged.errors.empty()) << judged.errors;
  return judged;
}

TEST(PlanAnswerTest, PlansComeBackAsTheyAreAndAreRight) {
  int read = 0;
  for (uint32_t seed = 0; seed < 100; ++seed) {
    planner::RandomProblem random(seed);
    planner::RandomTraits traits;
    traits.buffers = static_cast<int32_t>(random.Draw(0, 9));
    traits.pools = static_cast<int32_t>(random.Draw(1, 3));
    traits.gaps = traits.holes = traits.groups = traits.constants = traits.relations = true;
    const PlanFile file = FileOf(random.Make(traits));
    const auto plan = planner::PlanMemory(file.problem, seed % 2 == 0 ? "optimal" : "first_fit");
    if (!plan.ok()) continue;
    ++read;
    const Judged json = ReadAndJudge(file, WritePlanJson(file, *plan, {}));
    ASSERT_TRUE(json.answer) << seed << json.errors;
    EXPECT_TRUE(json.line) << seed << json.errors;
    EXPECT_EQ(json.answer->plan.placements, plan->placements) << seed;
    for (size_t p = 0; p < plan->pools.size(); ++p) {
      const planner::PoolPlan& is = json.answer->plan.pools[p];
      EXPECT_EQ(is.size, plan->pools[p].size) << seed;
      EXPECT_EQ(is.lower_bound.bytes, plan->pools[p].lower_bound.bytes) << seed;
      EXPECT_EQ(is.lower_bound.live, plan->pools[p].lower_bound.live) << seed;
    }
    const Judged csv = ReadAndJudge(file, *WritePlanCsv(file, *plan), "plan.csv");
    ASSERT_TRUE(csv.answer) << seed << csv.errors;
    EXPECT_THAT(csv.line.value_or(csv.errors), HasSubstr("no certificate to check")) << seed;
    EXPECT_EQ(csv.answer->plan.placements, plan->placements) << seed;
  }
  EXPECT_GT(read, 60);
}

/// Three buffers of 8, 4 and 2 bytes, and its least plan of 12 bytes.
struct Sample {
  PlanFile file = FileOf(planner::IntervalProblem({{0, 4, 8}, {2, 6, 4}, {5, 9, 2}}));
  planner::Plan plan = *planner::PlanMemory(file.problem, "optimal");
  planner::KeptOffsets kept{.kept = 1, .moved = 1, .added = 1, .kept_bytes = 8, .moved_bytes = 4};
  std::string text = WritePlanJson(file, plan, {.kept = kept});

  /// The errors if the first `from` of the text is `to`.
  std::string ErrorsWith(std::string_view from, std::string_view to) const {
    std::string now = text;
    const size_t at = now.find(from);
    EXPECT_NE(at, std::string::npos) << from << "\n" << text;
    if (at != std::string::npos) now.replace(at, from.size(), to);
    return ReadAndJudge(file, now).errors;
  }
};

TEST(PlanAnswerTest, TheLineNamesSizeBoundAndProof) {
  const Sample sample;
  EXPECT_EQ(ReadAndJudge(sample.file, sample.text).line,
            "valid: 3 buffers, peak 12, lower bound 12, proven optimal");
  // A worse plan: the second buffer lies higher, and the bound stays.
  planner::Plan worse = sample.plan;
  for (Placement& placed : worse.placements) placed.offset = 0;
  worse.placements[1].offset = 9;
  worse.pools[0].size = 13;
  worse.proven_optimal = false;
  EXPECT_EQ(ReadAndJudge(sample.file, WritePlanJson(sample.file, worse, {})).line,
            "valid: 3 buffers, peak 13, lower bound 12, gap 8.33 %");
}

TEST(PlanAnswerTest, FiguresMustFollowFromThePlan) {
  const Sample sample;
  for (const auto& [from, to, message] : std::vector<std::array<std::string_view, 3>>{
           {"\"peak_bytes\": 12", "\"peak_bytes\": 13",
            "`peak_bytes` is 13, but the pools have 12"},
           {"\"lower_bound_bytes\": 12", "\"lower_bound_bytes\": 11",
            "`lower_bound_bytes` is 11, but the pools have 12"},
           {"\"gap_percent\": 0", "\"gap_percent\": 1",
            "`gap_percent` is 1, but peak and bound make it 0"},
           {"\"bound_by_search\": false", "\"bound_by_search\": true",
            "`bound_by_search` is true, but the witnesses say false"},
           {"\"algorithm\": \"optimal\"", "\"algorithm\": \"best\"", "unknown algorithm `best`"},
           {"\"proven_optimal\": true", "\"proven_optimal\": false", "proven"},
           {"\"kept\": 1", "\"kept\": 2",
            "expected kept, moved and new buffers to be the 3 of the problem"},
           {"\"moved\": 1", "\"moved\": 0",
            "expected kept, moved and new buffers to be the 3 of the problem"},
           {"\"new\": 1", "\"new\": 2",
            "expected kept, moved and new buffers to be the 3 of the problem"},
           {"\"kept_bytes\": 8", "\"kept_bytes\": 11",
            "expected kept, moved and new buffers to be the 3 of the problem"},
           {"\"moved_bytes\": 4", "\"moved_bytes\": 7",
            "expected kept, moved and new buffers to be the 3 of the problem"}}) {
    const std::string errors = sample.ErrorsWith(from, to);
    EXPECT_THAT(errors, HasSubstr(message));
    // The place of the error is the changed line.
    EXPECT_THAT(errors, HasSubstr(to)) << from;
  }
  // All bytes of the problem may be in buffers that are kept or moved.
  EXPECT_EQ(sample.ErrorsWith("\"kept_bytes\": 8", "\"kept_bytes\": 10"), "");
  EXPECT_EQ(sample.ErrorsWith("\"algorithm\": \"optimal\"", "\"algorithm\": \"given\""), "");
}

TEST(PlanAnswerTest, FaultsAreAtTheirPlaces) {
  const Sample sample;
  const size_t pools = sample.text.find("\"pools\"");
  ASSERT_NE(pools, std::string::npos);
  const auto in_pool = [&](std::string_view from, std::string_view to) {
    std::string text = sample.text;
    text.replace(text.find(from, pools), from.size(), to);
    return ReadAndJudge(sample.file, text).errors;
  };
  std::string errors = in_pool("\"peak_bytes\": 12", "\"peak_bytes\": 14");
  EXPECT_THAT(errors, HasSubstr("\"peak_bytes\": 14"));
  EXPECT_THAT(errors, HasSubstr("[compare]"));
  errors = in_pool("\"lower_bound_bytes\": 12", "\"lower_bound_bytes\": 13");
  EXPECT_THAT(errors, HasSubstr("has the lower bound 13, but its witness shows 12"));
  EXPECT_THAT(errors, HasSubstr("\"witness\""));
  errors = in_pool("\"gap_percent\": 0", "\"gap_percent\": 2");
  EXPECT_THAT(errors, HasSubstr("`gap_percent` is 2, but peak and bound make it 0"));
  errors = in_pool("\"proven_optimal\": true", "\"proven_optimal\": false");
  EXPECT_THAT(errors, HasSubstr("`proven_optimal` is false, but the pool `default` has the size 12 "
                                "and the lower bound 12"));
  errors = in_pool("\"live\": [", "\"live\": [2,");
  EXPECT_THAT(errors, HasSubstr("\"witness\""));
  errors = in_pool("\"capacity\": null", "\"capacity\": 20");
  EXPECT_THAT(errors, HasSubstr("the capacity of the pool `default` is unlimited in the problem"));
  // A buffer in the place of another one; the note names the other one.
  planner::Plan overlap = sample.plan;
  overlap.placements[1].offset = overlap.placements[0].offset;
  errors = ReadAndJudge(sample.file, WritePlanJson(sample.file, overlap, {})).errors;
  EXPECT_THAT(errors, HasSubstr("is here"));
}

TEST(PlanAnswerTest, EveryMemberIsChecked) {
  const Sample sample;
  for (const auto& [from, to, message] : std::vector<std::array<std::string_view, 3>>{
           {"\"kind\": \"live\"", "\"kind\": \"luck\"",
            "unknown kind `luck`, expected live or search"},
           {"\"kind\": \"live\"", "\"kind\": 1", "`kind` is an integer"},
           {"\"seconds\": 0.0", "\"seconds\": -1.0", "`seconds` is negative"},
           {"\"found_by\": \"", "\"found_by\": \"x", "unknown method `x"},
           {"\"version\": 1", "\"version\": 2", "version 2 of the format, expected 1"},
           {"\"name\": \"default\"", "\"name\": \"other\"", "the problem has no pool `other`"},
           {"\"name\": \"default\"", "\"name\": \"other\"", "the plan lacks the pool `default`"},
           {"\"id\": \"1\"", "\"id\": \"0\"", "buffer `0` is placed twice"},
           {"\"id\": \"1\"", "\"id\": \"0\"", "the plan has no place for buffer `1`"},
           {"\"id\": \"1\"", "\"id\": \"9\"", "the problem has no buffer `9`"},
           {"\"size\": 4", "\"size\": 5", "buffer `1` has 5 bytes here, but 4 in the problem"},
           {"\"offset\": 0", "\"offset\": -1", "`offset` is -1"},
           {"\"picoseconds\": 0", "\"picoseconds\": -1", "`picoseconds` is -1"},
           {"\"is_least\": ", "\"is_most\": ", "unknown member `is_most`"},
           {"{", "[", "error"},
           {"\"pools\"", "\"puddles\"", "unknown member `puddles`"},
           {"\"pools\"", "\"puddles\"", "a plan without `pools`"}}) {
    EXPECT_THAT(sample.ErrorsWith(from, to), HasSubstr(message)) << from;
  }
}

TEST(PlanAnswerTest, ABoundBySearchIsReadAsOne) {
  // Two of 3 bytes at multiples of 4 and one of 2 bytes need 10, which no stack of live bytes
  // shows.
  Problem problem = planner::IntervalProblem({{0, 9, 3}, {0, 9, 3}, {0, 9, 2}}, 4);
  problem.buffers[2].alignment = 2;
  const PlanFile file = FileOf(std::move(problem));
  const auto plan = planner::PlanMemory(file.problem, "optimal");
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->pools[0].lower_bound.kind, planner::BoundKind::kSearch);
  const Judged judged = ReadAndJudge(file, WritePlanJson(file, *plan, {}));
  ASSERT_TRUE(judged.answer) << judged.errors;
  EXPECT_EQ(judged.answer->plan.pools[0].lower_bound.kind, planner::BoundKind::kSearch);
  EXPECT_TRUE(judged.answer->certificate->by_search);
}

TEST(PlanAnswerTest, LinesOfATableMustAgreeWithTheProblem) {
  SourceManager sources;
  Diagnostics diagnostics;
  const std::string_view table =
      "id,lower,upper,size,alignment,gaps,lifetimes,kind,groups,bytes_read,bytes_written,pools\n"
      "a,0,9,64,32,1-2,0-3 5-9,intermediate,x,1,2,p q\n"
      "b,0,0,8,1,,,constant,,3,4,q\n";
  const auto file = ParsePlanCsv(sources, "p.csv", table, nullptr, diagnostics);
  ASSERT_TRUE(file) << Render(sources, diagnostics);
  const std::string plan =
      "id,lower,upper,size,alignment,gaps,lifetimes,kind,groups,bytes_read,bytes_written,pools,"
      "pool,offset\n"
      "a,0,9,64,32,1-2,0-3 5-9,intermediate,x,1,2,p q,p,0\n"
      "b,0,0,8,1,,,constant,,3,4,q,q,16\n";
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = plan;
    const size_t at = text.find(from, text.find('\n'));
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return ReadAndJudge(*file, text, "plan.csv").errors;
  };
  EXPECT_EQ(with("a,0,9", "a,0,9"), "");
  const Judged judged = ReadAndJudge(*file, plan, "plan.csv");
  ASSERT_TRUE(judged.answer);
  EXPECT_FALSE(judged.answer->plan.proven_optimal);
  for (const auto& [from, to, message] : std::vector<std::array<std::string_view, 3>>{
           {"64,32", "64,16", "the alignment of `a` differ"},
           {"0-3 5-9", "0-4 5-9", "the lifetime of `a` differ"},
           {"1-2", "1-3", "the gaps of `a` differ"},
           {"intermediate", "input", "the kind of `a` differ"},
           {",x,", ",y,", "the groups of `a` differ"},
           {"x,1,2", "x,7,2", "the bytes_read of `a` differ"},
           {"x,1,2", "x,1,7", "the bytes_written of `a` differ"},
           {"p q", "q p", "the candidate pools of `a` differ"},
           {"a,0,9,64", "a,0,9,65", "buffer `a` has 65 bytes here, but 64 in the problem"},
           {"q,q,16", "q,p,16", "error"},
           {"b,0,0", "a,0,0", "buffer `a` is placed twice"}}) {
    EXPECT_THAT(with(from, to), HasSubstr(message)) << from;
  }
}

TEST(PlanAnswerTest, PreviousPlansMatchBuffersByIdAndSize) {
  const Sample sample;
  const auto previous = [&](std::string_view name, std::string_view text) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto read = ReadPreviousPlan(sources, {name, text, nullptr}, sample.file, diagnostics);
    EXPECT_TRUE(read) << Render(sources, diagnostics);
    return read.value_or(planner::PreviousPlacements());
  };
  // Buffer 0 has another size now, buffer 1 was in another pool, and buffer 7 is gone.
  EXPECT_THAT(previous("old.csv",
                       "id,size,pool,offset\n2,2,default,6\n1,4,slow,8\n0,9,default,0\n"
                       "7,4,default,0\n"),
              ElementsAre(std::nullopt, Placement{-1, 8}, Placement{0, 6}));
  EXPECT_THAT(previous("old.csv", "id,offset\n1,3\n"),
              ElementsAre(std::nullopt, Placement{0, 3}, std::nullopt));
  const auto same = previous("old.json", sample.text);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(same[i], sample.plan.placements[i]);
  // The judge compares `previous` of the file with the earlier plan, if there is one.
  EXPECT_THAT(ReadAndJudge(sample.file, sample.text, "plan.json", &same).errors,
              HasSubstr("of the previous plan 3 buffers are kept, 0 moved and 0 new"));
  SourceManager sources;
  Diagnostics diagnostics;
  EXPECT_FALSE(ReadPreviousPlan(sources, {"old.json", "{}", nullptr}, sample.file, diagnostics));
  EXPECT_THAT(Render(sources, diagnostics), HasSubstr("the plan has no list `buffers`"));
  EXPECT_FALSE(ReadPreviousPlan(sources, {"old.json", "{", nullptr}, sample.file, diagnostics));
}

TEST(PlanAnswerTest, ATableMayHaveProblemAndPlan) {
  SourceManager sources;
  Diagnostics diagnostics;
  const auto read = ReadSelfContainedPlan(
      sources,
      {"all.csv", "id,lower,upper,size,offset\na,0,3,8,0\nb,2,5,4,8\nc,3,6,2,0\n", nullptr}, {},
      diagnostics);
  ASSERT_TRUE(read) << Render(sources, diagnostics);
  ASSERT_EQ(read->answer.plan.pools.size(), 1u);
  EXPECT_EQ(read->answer.plan.pools[0].size, 12);
  EXPECT_EQ(JudgePlanAnswer(read->problem, read->answer, nullptr, diagnostics),
            "valid: 3 buffers, peak 12; no certificate to check");
  // Without a lifetime, the table lacks the problem.
  EXPECT_FALSE(ReadSelfContainedPlan(sources, {"all.csv", "id,size,offset\na,8,0\n", nullptr}, {},
                                     diagnostics));
}

}  // namespace
}  // namespace tenon
