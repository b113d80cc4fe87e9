#include "analysis/reroll.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "interp/interpreter.h"
#include "parser/parser.h"
#include "printer/printer.h"

namespace tenon {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The rerolled body of a function on x and y, after a check that the interpreter gives the same
/// results for both.
std::string Rerolled(const std::string& body) {
  Context context;
  Diagnostics diagnostics;
  const std::string text =
      "from tvm.script import tir as T\n\n@T.prim_func\n"
      "def f(x: T.Buffer((64,), \"int32\"), y: T.Buffer((64,), \"int32\")):\n" +
      body;
  const auto module = ParseModule(context, "test.py", text, nullptr, {}, diagnostics);
  EXPECT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
  IRModule rolled = *module;
  rolled.Update(Reroll(context, module->functions()[0]));
  std::vector<std::vector<uint8_t>> results;
  for (const IRModule* one : {&*module, static_cast<const IRModule*>(&rolled)}) {
    Tensor x{DataType::Int(32), {64}, std::vector<uint8_t>(256)};
    for (int32_t i = 0; i < 64; ++i) std::memcpy(x.bytes.data() + i * 4, &i, 4);
    Tensor y = x;
    const auto interpreter = Interpreter::Compile(*one, diagnostics);
    EXPECT_TRUE(interpreter.ok());
    EXPECT_TRUE(interpreter->Run("f", {Argument::Of(&x), Argument::Of(&y)}, diagnostics));
    results.push_back(y.bytes);
  }
  EXPECT_EQ(results[0], results[1]);
  return PrintModule(rolled);
}

TEST(RerollTest, OneLevel) {
  EXPECT_THAT(Rerolled("    y[0] = x[5]\n    y[2] = x[6]\n    y[4] = x[7]\n"),
              HasSubstr("for u in range(3):"));
}

TEST(RerollTest, TwoLevels) {
  std::string body;
  for (const int row : {0, 1, 2}) {
    for (const int column : {0, 1}) {
      body += "    y[" + std::to_string(row * 10 + column) + "] = x[" +
              std::to_string(row * 3 + column * 20) + "] * 2\n";
    }
  }
  EXPECT_THAT(Rerolled(body), HasSubstr("T.grid(3, 2)"));
}

TEST(RerollTest, GroupsOfStatements) {
  EXPECT_THAT(Rerolled("    y[0] = x[0]\n    y[8] = x[0] + 3\n"
                       "    y[1] = x[4]\n    y[9] = x[4] + 3\n"),
              HasSubstr("for u in range(2):"));
}

TEST(RerollTest, WholeLoops) {
  EXPECT_THAT(Rerolled("    for i in range(4):\n        y[i] = x[i]\n"
                       "    for k in range(4):\n        y[k + 8] = x[k + 4]\n"),
              HasSubstr("for u, i in T.grid(2, 4):"));
}

TEST(RerollTest, LeavesWhatIsNotLinear) {
  EXPECT_THAT(Rerolled("    y[0] = x[1]\n    y[1] = x[2] + 1\n"), Not(HasSubstr("for")));
  EXPECT_THAT(Rerolled("    y[0] = x[1] * 2\n    y[1] = x[2] * 3\n"), Not(HasSubstr("for")));
}

TEST(RerollTest, KeepsTheOrderOfStores) {
  // Each statement reads the element that the previous one has stored.
  Rerolled("    y[1] = y[0] + x[1]\n    y[2] = y[1] + x[2]\n    y[3] = y[2] + x[3]\n");
}

TEST(RerollTest, TakesStoresOfTwoArmsAsOne) {
  EXPECT_THAT(Rerolled("    for i in range(8):\n        if i < 3:\n            y[i] = x[i]\n"
                       "        else:\n            y[i] = x[i + 9]\n"),
              HasSubstr("y[i] = T.if_then_else(i < 3, x[i], x[i + 9])"));
}

}  // namespace
}  // namespace tenon
