#include "report/constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "parser/parser.h"
#include "passes/pipeline/runner.h"
#include "report/diff.h"
#include "report/merge.h"

namespace tenon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kModel = R"(@I.ir_module
class Module:
    I.module_attrs({"tenon.constants": [
        I.constant("base", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20], "int8", [20], align=32),
        I.constant("part", I.slice("base", 16), "int8", [4]),
        I.constant("zeros", I.splat(0), "int32", [1000])]})
    @T.prim_func(private=True)
    def first(y: T.Buffer((4,), "int8")):
        w = T.allocate_const(I.constant("base"), "int8", [20])
        w_1 = T.Buffer((20,), "int8", data=w)
        z = T.allocate_const(I.constant("zeros"), "int32", [1000])
        z_1 = T.Buffer((1000,), "int32", data=z)
        for i in range(4):
            y[i] = y[i] + w_1[i] + T.Cast("int8", z_1[i])

    @T.prim_func(private=True)
    def second(y: T.Buffer((4,), "int8")):
        v = T.allocate_const(I.constant("base"), "int8", [20])
        v_1 = T.Buffer((20,), "int8", data=v)
        p = T.allocate_const(I.constant("part"), "int8", [4])
        p_1 = T.Buffer((4,), "int8", data=p)
        own = T.allocate_const([1, 1], "int8", [2])
        own_1 = T.Buffer((2,), "int8", data=own)
        for i in range(4):
            y[i] = y[i] + v_1[i] + p_1[i] + own_1[0]

    @T.prim_func
    def main(y: T.Buffer((4,), "int8")):
        Module.first(y.data)
        Module.second(y.data)
        Module.second(y.data)
)";

class ReportedConstants : public testing::Test {
 protected:
  void SetUp() override { report_ = Make(kModel, "assign-pool-info,plan-memory"); }

  MemoryReport Make(std::string_view text, std::string_view passes) {
    const auto module = ParseModule(context_, "model.py", text, nullptr, {}, diagnostics_);
    EXPECT_TRUE(module) << Render(context_.sources(), diagnostics_);
    const auto pipeline = ParsePipeline(context_, passes, diagnostics_);
    const auto planned = RunPipeline(*module, *pipeline, {}, diagnostics_);
    EXPECT_TRUE(planned) << Render(context_.sources(), diagnostics_);
    auto report = MakeReport(*planned, {}, diagnostics_);
    EXPECT_TRUE(report) << Render(context_.sources(), diagnostics_);
    return *std::move(report);
  }

  const ReportConstant& Constant(std::string_view name) const {
    for (const ReportConstant& constant : report_.constants) {
      if (constant.name == name) return constant;
    }
    ADD_FAILURE() << "no constant " << name;
    return report_.constants[0];
  }

  Context context_;
  Diagnostics diagnostics_;
  MemoryReport report_;
};

TEST_F(ReportedConstants, KnowTheirUsersAndPlaces) {
  EXPECT_EQ(report_.constants.size(), 4U);
  const ReportConstant& base = Constant("base");
  EXPECT_THAT(base.users, ElementsAre("first", "second"));
  EXPECT_EQ(base.uses, 2);
  EXPECT_EQ(base.alignment, 32);
  EXPECT_EQ(base.section, "");
  EXPECT_EQ(base.source, "text");
  EXPECT_THAT(base.hash, testing::MatchesRegex("xxh3:[0-9a-f]{32}"));
  // `first` reads four bytes; `second` also reads four bytes, twice.
  EXPECT_EQ(base.bytes_read, 12);
  const ReportConstant& part = Constant("part");
  EXPECT_EQ(part.base, "base");
  EXPECT_EQ(part.base_offset, 16);
  EXPECT_EQ(part.source, "slice");
  EXPECT_EQ(Constant("zeros").source, "splat");
  EXPECT_LT(Constant("zeros").compressed_bytes, 40);
  EXPECT_EQ(Constant("own").users.size(), 1U);
  for (const ReportBuffer& buffer : report_.buffers) {
    ASSERT_NE(report_.ConstantOf(buffer), nullptr);
    EXPECT_EQ(report_.ConstantOf(buffer)->size_bytes, buffer.size_bytes);
  }
}

TEST_F(ReportedConstants, SharedBytesCountOnce) {
  const ConstantBytes bytes = ConstantBytesOf(report_, "global_const_workspace");
  EXPECT_EQ(bytes.constants, 4);
  EXPECT_EQ(bytes.uses, 5);
  EXPECT_EQ(bytes.used_bytes, 20 + 4000 + 20 + 4 + 2);
  EXPECT_EQ(bytes.stored_bytes, 20 + 4000 + 2);
  EXPECT_EQ(bytes.saved_bytes(), 24);
  EXPECT_GT(bytes.compressed_bytes, 0);
  EXPECT_LT(bytes.compressed_bytes, 100);
  EXPECT_EQ(ConstantBytesOf(report_, "").uses, 0);
  EXPECT_THAT(ReportText(report_), HasSubstr("4 constants, 5 uses, 24 bytes saved by sharing"));
  EXPECT_THAT(ReportText(report_), HasSubstr("in base from 16"));
}

TEST_F(ReportedConstants, OutsidePoolsTheSame) {
  std::string text(kModel);
  text.replace(text.find("align=32"), 8, "align=32, section=\".w\"");
  report_ = Make(text, "simplify");
  EXPECT_EQ(Constant("base").section, ".w");
  const ConstantBytes bytes = ConstantBytesOf(report_, "");
  EXPECT_EQ(bytes.uses, 5);
  EXPECT_EQ(bytes.saved_bytes(), 24);
}

TEST_F(ReportedConstants, OtherContentsAreADifference) {
  std::string text(kModel);
  text.replace(text.find("[1, 1]"), 6, "[1, 3]");
  const MemoryReport after = Make(text, "assign-pool-info,plan-memory");
  const ReportDiff diff = DiffReports("before", report_, after);
  ASSERT_EQ(diff.buffers.size(), 1U);
  EXPECT_THAT(diff.buffers[0].what, ElementsAre("rewritten"));
  EXPECT_THAT(DiffText(diff, after), HasSubstr("4 as before, 1 rewritten"));
}

TEST_F(ReportedConstants, OfSeveralModelsKeepApart) {
  std::vector<NamedReport> reports;
  reports.push_back({"a", report_});
  reports.push_back({"b", report_});
  const MemoryReport both = MergeReports(std::move(reports));
  ASSERT_EQ(both.constants.size(), 8U);
  EXPECT_EQ(both.constants[4].name, "b." + report_.constants[0].name);
  EXPECT_EQ(both.ConstantOf(both.buffers.back())->name.substr(0, 2), "b.");
  EXPECT_EQ(ConstantBytesOf(both, "b.global_const_workspace").saved_bytes(), 24);
}

TEST(EstimateLz4, IsAboutRight) {
  std::mt19937 random(1);
  std::vector<uint8_t> noise(100'000);
  for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random());
  EXPECT_EQ(EstimateLz4(noise, 1 << 20), 100'000);
  EXPECT_EQ(EstimateLz4(noise, 8192), 100'000);
  EXPECT_EQ(EstimateLz4({}, 4096), 0);
  // A run costs a byte per 255 bytes, or the size extrapolated from a sample.
  const std::vector<uint8_t> run(100'000, 7);
  EXPECT_LT(EstimateLz4(run, 1 << 20), 500);
  EXPECT_LT(EstimateLz4(run, 8192), 1000);
  // Half noise, half repeated noise.
  std::vector<uint8_t> twice(noise.begin(), noise.begin() + 30'000);
  twice.insert(twice.end(), noise.begin(), noise.begin() + 30'000);
  EXPECT_NEAR(static_cast<double>(EstimateLz4(twice, 1 << 20)), 33'000, 4'000);
  for (size_t size = 1; size < 40; ++size) {
    EXPECT_LE(EstimateLz4(std::vector<uint8_t>(size, 1), 4096), static_cast<int64_t>(size));
  }
}

}  // namespace
}  // namespace tenon
