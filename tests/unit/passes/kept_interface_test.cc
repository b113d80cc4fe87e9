#include "passes/pipeline/kept_interface.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/attributes.h"
#include "parser/parser.h"

namespace tenon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class KeptInterfaceTest : public testing::Test {
 protected:
  IRModule Parse(std::string_view params, std::string_view body) {
    const std::string text = fmt::format("@T.prim_func\ndef main({}):\n    {}\n", params, body);
    std::optional<IRModule> module = ParseModule(context_, "m.py", text, nullptr, {}, diagnostics_);
    EXPECT_TRUE(module) << Render(context_.sources(), diagnostics_);
    return module ? *module : IRModule(context_);
  }
  std::string Errors() const { return Render(context_.sources(), diagnostics_); }

  static constexpr std::string_view kBoth =
      "x: T.Buffer((4,), \"int8\"), y: T.Buffer((4,), \"int8\")";
  Context context_;
  Diagnostics diagnostics_;
};

TEST_F(KeptInterfaceTest, AnOutputThatNothingWritesStaysAnOutput) {
  KeptInterface interface(Parse(kBoth, "y[0] = x[0]"));
  IRModule after = Parse(kBoth, "T.evaluate(x[0])");
  ASSERT_TRUE(interface.Keep(after, "some-pass", /*may_differ=*/false, diagnostics_)) << Errors();
  const auto outputs = DeclaredOutputs(*after.Main()->func);
  ASSERT_TRUE(outputs.has_value());
  EXPECT_THAT(*outputs, ElementsAre("y"));
}

TEST_F(KeptInterfaceTest, AnInputThatSeemsToBeWrittenStaysAnInput) {
  KeptInterface interface(Parse(kBoth, "y[0] = x[0]"));
  IRModule after =
      Parse(kBoth, "T.evaluate(x[0])\n    T.call_extern(\"int32\", \"f\", x.data, y.data)");
  ASSERT_TRUE(interface.Keep(after, "some-pass", /*may_differ=*/false, diagnostics_)) << Errors();
  const auto outputs = DeclaredOutputs(*after.Main()->func);
  ASSERT_TRUE(outputs.has_value());
  EXPECT_THAT(*outputs, ElementsAre("y"));
}

TEST_F(KeptInterfaceTest, NothingIsDeclaredWhereTheStatementsShowIt) {
  KeptInterface interface(Parse(kBoth, "y[0] = x[0]"));
  IRModule after = Parse(kBoth, "y[1] = x[0]");
  ASSERT_TRUE(interface.Keep(after, "some-pass", /*may_differ=*/false, diagnostics_)) << Errors();
  EXPECT_FALSE(DeclaredOutputs(*after.Main()->func).has_value());
}

TEST_F(KeptInterfaceTest, ALostTensorIsAnError) {
  KeptInterface interface(Parse(kBoth, "y[0] = x[0]"));
  IRModule after = Parse("y: T.Buffer((4,), \"int8\")", "y[0] = T.int8(0)");
  EXPECT_FALSE(interface.Keep(after, "some-pass", /*may_differ=*/false, diagnostics_));
  EXPECT_THAT(Errors(), HasSubstr("pass `some-pass` changed the inputs and outputs of `main`: "
                                  "expected `x` (4 bytes), `y` (4 bytes), found `y` (4 bytes)"));
}

TEST_F(KeptInterfaceTest, AnotherOrderIsAnError) {
  KeptInterface interface(Parse(kBoth, "y[0] = x[0]"));
  IRModule after = Parse("y: T.Buffer((4,), \"int8\"), x: T.Buffer((4,), \"int8\")", "y[0] = x[0]");
  EXPECT_FALSE(interface.Keep(after, "some-pass", /*may_differ=*/false, diagnostics_));
}

TEST_F(KeptInterfaceTest, APassMayTakeTensorsAwayOnPurpose) {
  KeptInterface interface(Parse(kBoth, "y[0] = x[0]"));
  IRModule after = Parse("y: T.Buffer((4,), \"int8\")", "T.evaluate(0)");
  ASSERT_TRUE(interface.Keep(after, "bind-params", /*may_differ=*/true, diagnostics_)) << Errors();
  const auto outputs = DeclaredOutputs(*after.Main()->func);
  ASSERT_TRUE(outputs.has_value());
  EXPECT_THAT(*outputs, ElementsAre("y"));
}

}  // namespace
}  // namespace tenon
