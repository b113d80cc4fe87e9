#include "report/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "parser/parser.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/runner.h"
#include "report/svg.h"
#include "report/text_table.h"

namespace tenon {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kModel = R"(@I.ir_module
class Module:
    @T.prim_func
    def __tvm_main__(x: T.Buffer((16,), "int8"), y: T.Buffer((16,), "int8")):
        a = T.allocate([64], "int8", "global.workspace")
        b = T.allocate([32], "int8", "global.workspace")
        T.evaluate(T.call_extern("int32", "first", x.data, a))
        T.evaluate(T.call_extern("int32", "second", a, b))
        T.evaluate(T.call_extern("int32", "third", b, y.data))

    @T.prim_func
    def first(p: T.Buffer((16,), "int8"), q: T.Buffer((64,), "int8")):
        w = T.allocate_const([1, 2, 3, 4], "int8", [4])
        w_1 = T.Buffer((4,), "int8", data=w)
        for i in range(64):
            q[i] = p[i % 16] * w_1[i % 4]

    @T.prim_func
    def second(p: T.Buffer((64,), "int8"), q: T.Buffer((32,), "int8")):
        for i in range(32):
            q[i] = p[i]

    @T.prim_func
    def third(p: T.Buffer((32,), "int8"), q: T.Buffer((16,), "int8")):
        for i in range(16):
            q[i] = p[i]
)";

class Reported : public testing::Test {
 protected:
  void SetUp() override { Make("assign-pool-info,plan-memory{algorithm=first_fit}"); }

  void Make(std::string_view pipeline_text) {
    const auto module = ParseModule(context_, "model.py", kModel, nullptr, {}, diagnostics_);
    ASSERT_TRUE(module) << Render(context_.sources(), diagnostics_);
    const auto pipeline = ParsePipeline(context_, pipeline_text, diagnostics_);
    ASSERT_TRUE(pipeline);
    planned_ = RunPipeline(*module, *pipeline, {}, diagnostics_);
    ASSERT_TRUE(planned_) << Render(context_.sources(), diagnostics_);
    report_ = MakeReport(*planned_, {}, diagnostics_);
    ASSERT_TRUE(report_) << Render(context_.sources(), diagnostics_);
  }

  const ReportBuffer& Buffer(std::string_view name) const {
    for (const ReportBuffer& buffer : report_->buffers) {
      if (buffer.name == name) return buffer;
    }
    ADD_FAILURE() << "no buffer " << name;
    return report_->buffers[0];
  }

  Context context_;
  Diagnostics diagnostics_;
  std::optional<IRModule> planned_;
  std::optional<MemoryReport> report_;
};

TEST_F(Reported, HasPoolsWithBounds) {
  ASSERT_EQ(report_->pools.size(), 2U);
  const ReportPool& constants = report_->pools[0];
  EXPECT_EQ(constants.name, "global_const_workspace");
  EXPECT_TRUE(constants.is_constant);
  EXPECT_EQ(constants.size_bytes, 4);
  const ReportPool& workspace = report_->pools[1];
  EXPECT_EQ(workspace.name, "global_workspace");
  EXPECT_EQ(workspace.size_bytes, 96);
  EXPECT_EQ(workspace.lower_bound_bytes, 96);
  EXPECT_TRUE(workspace.proven_optimal);
  EXPECT_EQ(workspace.buffers, 2);
  EXPECT_EQ(workspace.alignment, 16);
}

TEST_F(Reported, SaysWhenThePeakIs) {
  const ReportPool& workspace = report_->pools[1];
  ASSERT_TRUE(workspace.peak);
  EXPECT_EQ(workspace.peak->live_bytes, 96);
  ASSERT_EQ(workspace.peak->live.size(), 2U);
  EXPECT_EQ(report_->buffers[workspace.peak->live[0]].name, "a");
  // The loop of `second` reads one and writes the other.
  EXPECT_EQ(workspace.peak->line, 20);
}

TEST_F(Reported, KnowsBuffersAndTheirPlaces) {
  EXPECT_EQ(Buffer("a").line, 5);
  EXPECT_EQ(Buffer("a").function, "__tvm_main__");
  EXPECT_FALSE(Buffer("a").ranges.empty());
  EXPECT_TRUE(Buffer("w").is_constant);
  EXPECT_EQ(Buffer("w").function, "first");
  EXPECT_EQ(Buffer("w").dtype, "int8");
}

TEST_F(Reported, HasAStepForEveryCall) {
  ASSERT_EQ(report_->steps.size(), 3U);
  EXPECT_EQ(report_->steps[0].label, "first");
  EXPECT_EQ(report_->steps[2].label, "third");
  EXPECT_EQ(report_->steps[0].range.upper, report_->steps[1].range.lower);
  EXPECT_EQ(report_->steps[2].range.upper, report_->ticks);
}

TEST_F(Reported, TellsInputsFromOutputs) {
  ASSERT_EQ(report_->tensors.size(), 2U);
  EXPECT_FALSE(report_->tensors[0].is_output);
  EXPECT_TRUE(report_->tensors[1].is_output);
  EXPECT_EQ(report_->io_bytes(), 32);
}

TEST_F(Reported, JsonHasThePools) {
  const std::string text = ReportJson(*report_);
  const Json json = Json::parse(text);
  const Json& pool = json.at("pools").at("global_workspace");
  EXPECT_EQ(pool.at("size_bytes"), 96);
  EXPECT_EQ(pool.at("kind"), "workspace");
  EXPECT_EQ(pool.at("alignment"), 16);
  EXPECT_EQ(pool.at("lower_bound_bytes"), 96);
  EXPECT_EQ(json.at("pools").at("global_const_workspace").at("kind"), "constant");
  EXPECT_EQ(json.at("constant_bytes"), 4);
  EXPECT_EQ(json.at("buffers").size(), 3U);
  EXPECT_EQ(text, ReportJson(*report_));
}

TEST_F(Reported, JsonSurvivesNamesThatAreNotUtf8) {
  report_->buffers[0].name = "\xff<x>";
  EXPECT_TRUE(Json::accept(ReportJson(*report_)));
}

TEST_F(Reported, HtmlHasBuffersAsColumns) {
  const std::string html = ReportHtml(*report_);
  EXPECT_THAT(html, HasSubstr(R"("columns":{"count":3,"name":["a","b","w"],"constant":[0,0,1])"));
  // One value for all.
  EXPECT_THAT(html, HasSubstr(R"("dtype":2,)"));
  EXPECT_THAT(html, HasSubstr(R"("more":{})"));
  report_->buffers[1].ranges = {{1, 2}, {4, 5}, {7, 9}};
  EXPECT_THAT(ReportHtml(*report_), HasSubstr(R"("more":{"1":[[4,5],[7,9]]})"));
  report_->buffers.clear();
  report_->pools.clear();  // their peaks have indexes
  EXPECT_THAT(ReportHtml(*report_), HasSubstr(R"("columns":{"count":0,"name":[])"));
}

TEST_F(Reported, HtmlNeedsNothingElse) {
  report_->source = "</script><script>alert(1)</script>";
  const std::string html = ReportHtml(*report_);
  EXPECT_THAT(html, HasSubstr("\\u003c/script>"));
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  // The namespace of SVG is a name, not a place.
  constexpr std::string_view kSvg = "http://www.w3.org/2000/svg";
  for (size_t at = html.find("http"); at != std::string::npos; at = html.find("http", at + 1))
    EXPECT_EQ(html.substr(at, kSvg.size()), kSvg);
  EXPECT_THAT(html, Not(HasSubstr("src=")));
  EXPECT_TRUE(html.ends_with("</html>\n"));
}

TEST_F(Reported, TextHasTheFigures) {
  const std::string text = ReportText(*report_);
  EXPECT_THAT(text, HasSubstr("model.py, entry __tvm_main__"));
  EXPECT_THAT(text, HasSubstr("constants 4 bytes, workspace 96 bytes"));
  EXPECT_THAT(text, HasSubstr("planned by first_fit"));
}

TEST_F(Reported, ConvertedModulesKeepTheirPools) {
  Make("assign-pool-info,plan-memory{algorithm=first_fit},convert-pool-allocations-to-offsets");
  ASSERT_EQ(report_->pools.size(), 2U);
  EXPECT_EQ(report_->workspace_bytes(), 96);
  EXPECT_EQ(report_->constant_bytes(), 4);
  EXPECT_EQ(report_->tensors.size(), 2U);
  // The addresses in the pool determine the lifetimes.
  ASSERT_TRUE(report_->pools[1].peak);
  EXPECT_EQ(report_->pools[1].peak->live_bytes, report_->pools[1].lower_bound_bytes);
  EXPECT_FALSE(report_->pools[0].peak);
  for (const ReportBuffer& buffer : report_->buffers) {
    EXPECT_EQ(buffer.ranges.empty(), buffer.is_constant) << buffer.name;
    EXPECT_TRUE(buffer.is_constant || !buffer.name.ends_with("_let")) << buffer.name;
  }
}

// Only buffers that are declared on an address, in this function or a callee, tell the size of the
// tensor.
TEST_F(Reported, SizesInConvertedModulesAreThoseOfTheModule) {
  Make("assign-pool-info,plan-memory{algorithm=first_fit}");
  const MemoryReport planned = *report_;
  Make("assign-pool-info,plan-memory{algorithm=first_fit},convert-pool-allocations-to-offsets");
  for (const ReportBuffer& buffer : report_->buffers) {
    if (buffer.is_constant) continue;
    const auto same = std::find_if(planned.buffers.begin(), planned.buffers.end(),
                                   [&](const ReportBuffer& b) { return b.name == buffer.name; });
    ASSERT_NE(same, planned.buffers.end()) << buffer.name;
    EXPECT_EQ(same->size_bytes, buffer.size_bytes) << buffer.name;
    EXPECT_EQ(same->offset, buffer.offset) << buffer.name;
  }
}

// Annotations may contain any number.
TEST_F(Reported, APlaceBeyondAllMemoryIsIgnored) {
  constexpr std::string_view kText = R"(@T.prim_func
def main(A: T.Buffer((4,), "int8"), B: T.Buffer((4,), "int8")):
    t = T.allocate([4], "int8", "global", annotations={"tenon.placement": ["p", T.int64(9223372036854775806)]})
    t_1 = T.Buffer((4,), "int8", data=t)
    for i in range(4):
        t_1[i] = A[i]
    for i in range(4):
        B[i] = t_1[i]
)";
  const auto module = ParseModule(context_, "far.py", kText, nullptr, {}, diagnostics_);
  ASSERT_TRUE(module) << Render(context_.sources(), diagnostics_);
  const auto report = MakeReport(*module, {}, diagnostics_);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->buffers.size(), 1U);
  EXPECT_TRUE(report->buffers[0].pool.empty());
  EXPECT_EQ(report->buffers[0].unplaced, "its offset is beyond all memory");
  EXPECT_TRUE(report->pools.empty());
}

TEST(ReportSvg, DrawsOneValueOfLiveBytesAtATick) {
  MemoryReport report;
  report.ticks = 9;
  report.pools.emplace_back().name = "p";
  report.pools[0].size_bytes = 100;
  for (const ReportRange& range : {ReportRange{0, 5}, ReportRange{5, 9}}) {
    ReportBuffer& buffer = report.buffers.emplace_back();
    buffer.name = range.lower == 0 ? "first" : "second";
    buffer.pool = "p";
    buffer.size_bytes = 100;
    buffer.ranges = {range};
  }
  const std::string svg = ReportSvg(report);
  const size_t end = svg.find("\" class=\"live\"");
  ASSERT_NE(end, std::string::npos);
  const size_t begin = svg.rfind('"', end - 1) + 1;
  const std::string path = svg.substr(begin, end - begin);
  // Bytes grow upwards, and y grows downwards: the least y is the peak, at the line of the pool.
  std::vector<double> heights;
  for (size_t at = path.find('V'); at != std::string::npos; at = path.find('V', at + 1))
    heights.push_back(std::stod(path.substr(at + 1)));
  ASSERT_EQ(heights.size(), 3U) << path;
  const std::string level = fmt::format("M90 {}H", heights[0]);
  EXPECT_THAT(svg, HasSubstr(level));
  EXPECT_EQ(heights[1], heights[0]);
  EXPECT_GT(heights[2], heights[0]);
}

TEST(ReportSvg, MapsOfPoolsAreBelowEachOther) {
  MemoryReport report;
  report.ticks = 9;
  const auto height_of = [&] {
    const std::string svg = ReportSvg(report);
    return std::stod(svg.substr(svg.find("height=\"") + 8));
  };
  std::vector<double> heights;
  for (const char* name : {"first", "second"}) {
    ReportPool& pool = report.pools.emplace_back();
    pool.name = name;
    pool.size_bytes = 100;
    ReportBuffer& buffer = report.buffers.emplace_back();
    buffer.name = "b";
    buffer.pool = name;
    buffer.size_bytes = 100;
    buffer.ranges = {{0, 9}};
    heights.push_back(height_of());
  }
  EXPECT_GT(heights[0], 200);
  EXPECT_EQ(heights[1], 2 * heights[0]);
  // A pool without buffers has no map.
  report.pools.emplace_back().name = "third";
  EXPECT_EQ(height_of(), heights[1]);
}

TEST(CutMiddle, KeepsBothEnds) {
  EXPECT_EQ(CutMiddle("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(CutMiddle("abcdefghij", 8), "abc...ij");
  EXPECT_EQ(CutMiddle("abcdefghij", 7), "ab...ij");
  // Characters of several bytes stay whole.
  EXPECT_EQ(CutMiddle("\u00e4\u00e4\u00e4\u00e4\u00e4", 8), "\u00e4...\u00e4");
}

TEST(GroupedDigits, InThrees) {
  EXPECT_EQ(GroupedDigits(0), "0");
  EXPECT_EQ(GroupedDigits(999), "999");
  EXPECT_EQ(GroupedDigits(1000), "1,000");
  EXPECT_EQ(GroupedDigits(-123456), "-123,456");
  EXPECT_EQ(GroupedDigits(1234567), "1,234,567");
}

}  // namespace
}  // namespace tenon
