#include "analysis/dataflow.h"

#include <gtest/gtest.h>

#include <string>

#include "fmt/format.h"
#include "parser/parser.h"
#include "printer/printer.h"

namespace tenon {
namespace {

/// A maximum over x, under a condition if there is one. `update` is the value that `y[0]` gets.
std::string MaximumBy(std::string_view update, std::string_view condition = {}) {
  return fmt::format(
      "from tvm.script import tir as T\n\n@T.prim_func\n"
      "def f(x: T.Buffer((8,), \"float32\"), y: T.Buffer((1,), \"float32\")):\n"
      "    T.func_attr({{\"tir.noalias\": T.bool(True)}})\n"
      "    y[0] = T.float32(-1)\n"
      "    for i in range(8):\n"
      "        {}{}y[0] = {}\n",
      condition, condition.empty() ? "" : "\n            ", update);
}

/// The step that computes the maximum.
Step Reduction(std::string_view update, bool keeps_order) {
  Context context;
  Diagnostics diagnostics;
  const auto module = ParseModule(context, "test.py", MaximumBy(update), nullptr, {}, diagnostics);
  EXPECT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
  const ComputationResult result =
      ComputationOf(*module->functions()[0].func, {.keeps_order = keeps_order});
  EXPECT_TRUE(result.computation.has_value()) << result.because;
  for (const Step& step : result.computation->steps)
    if (step.kind == StepKind::kReduce) return step;
  ADD_FAILURE() << "no reduction";
  return {};
}

TEST(DataflowTest, MaximaOfFloatsKeepTheOrderOfOperands) {
  EXPECT_EQ(Reduction("T.max(y[0], x[i])", /*keeps_order=*/true).integer, 0);
  EXPECT_EQ(Reduction("T.max(x[i], y[0])", /*keeps_order=*/true).integer, 1);
  // Claims know no order: T.max(a, b) is T.max(b, a) except for NaN and the sign of zeros.
  EXPECT_EQ(Reduction("T.max(x[i], y[0])", /*keeps_order=*/false),
            Reduction("T.max(y[0], x[i])", /*keeps_order=*/false));
}

TEST(DataflowTest, GuardsInMaximaKeepTheOrderOfOperands) {
  for (const std::string_view update : {"T.max(x[i], y[0])", "T.min(y[0], x[i])"}) {
    Context context;
    Diagnostics diagnostics;
    const auto module =
        ParseModule(context, "test.py", MaximumBy(update, "if i < 6:"), nullptr, {}, diagnostics);
    ASSERT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
    IRModule now = *module;
    now.Update(ComputationForm(context, module->functions()[0], {.keeps_order = true}));
    const std::string text = PrintModule(now);
    const bool is_old_first = update.starts_with("T.min");
    EXPECT_NE(text.find(is_old_first ? "T.min(y[0], T.if_then_else(" : "T.max(T.if_then_else("),
              std::string::npos)
        << text;
  }
}

/// The text of a sum that begins at `start`, in the form that ComputationOf understands.
std::string SumForm(std::string_view start, std::string_view update, bool keeps_order) {
  Context context;
  Diagnostics diagnostics;
  const std::string text = fmt::format(
      "from tvm.script import tir as T\n\n@T.prim_func\n"
      "def f(x: T.Buffer((8,), \"float32\"), y: T.Buffer((1,), \"float32\")):\n"
      "    T.func_attr({{\"tir.noalias\": T.bool(True)}})\n"
      "    y[0] = {}\n"
      "    for i in range(8):\n"
      "        if i < 6:\n"
      "            y[0] = y[0] + x[i]\n{}",
      start, update);
  const auto module = ParseModule(context, "test.py", text, nullptr, {}, diagnostics);
  EXPECT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
  IRModule now = *module;
  now.Update(ComputationForm(context, module->functions()[0], {.keeps_order = keeps_order}));
  return PrintModule(now);
}

TEST(DataflowTest, BothBranchesOfAnUpdateAreOneUpdate) {
  const auto otherwise = [](std::string_view update) {
    return fmt::format("        else:\n            {}\n", update);
  };
  const std::string text =
      SumForm("T.float32(-0.0)", otherwise("y[0] = y[0] + T.float32(2)"), /*keeps_order=*/true);
  EXPECT_NE(text.find("y[0] = y[0] + T.if_then_else(i < 6, x[i], T.float32(2.0))"),
            std::string::npos)
      << text;
  for (const std::string_view other :
       {"y[0] = y[0] * T.float32(2)", "y[0] = T.float32(2) + y[0]", "y[0] = x[0]"}) {
    const std::string stays = SumForm("T.float32(1)", otherwise(other), /*keeps_order=*/true);
    EXPECT_EQ(stays.find("y[0] = y[0] + T.if_then_else("), std::string::npos) << stays;
  }
}

TEST(DataflowTest, GuardsStayAroundSumsThatMayBeMinusZero) {
  const auto has_choice = [](std::string_view start, bool keeps_order) {
    return SumForm(start, "", keeps_order).find("T.if_then_else(") != std::string::npos;
  };
  // -0 + 0 is +0, so adding a zero in place of nothing would change the sum.
  EXPECT_FALSE(has_choice("T.float32(-0.0)", /*keeps_order=*/true));
  EXPECT_FALSE(has_choice("x[0]", /*keeps_order=*/true));
  EXPECT_TRUE(has_choice("T.float32(0)", /*keeps_order=*/true));
  EXPECT_TRUE(has_choice("T.float32(1)", /*keeps_order=*/true));
  EXPECT_TRUE(has_choice("x[0]", /*keeps_order=*/false));
}

/// Local tensors after a sum, each of which reads the two before it: `y = s + s1`, ...
std::string Chain(int length, std::string_view shape, std::string_view loop) {
  const std::string at = loop.empty() ? "0" : "i";
  std::string text = fmt::format(
      "from tvm.script import tir as T\n\n@T.prim_func\n"
      "def f(x: T.Buffer((8,), \"int32\"), y: T.Buffer({}, \"int32\")):\n"
      "    T.func_attr({{\"tir.noalias\": T.bool(True)}})\n",
      shape);
  for (int i = 0; i < length; ++i)
    text += fmt::format("    s{0} = T.decl_buffer({1}, \"int32\")\n", i, shape);
  const std::string indent = loop.empty() ? "    " : "        ";
  text += fmt::format("{}{}s0[{}] = 0\n", loop, indent, at);
  text +=
      fmt::format("{0}{1}for k in range(8):\n{1}    s0[{2}] = s0[{2}] + x[k]\n", loop, indent, at);
  text += fmt::format("{0}{1}s1[{2}] = s0[{2}] ^ 1\n", loop, indent, at);
  for (int i = 2; i < length; ++i)
    text += fmt::format("{0}{1}s{2}[{5}] = s{3}[{5}] ^ (s{4}[{5}] + 1)\n", loop, indent, i, i - 1,
                        i - 2, at);
  return text + fmt::format("{}{}y[{}] = s{}[{}]\n", loop, indent, at, length - 1, at);
}

TEST(DataflowTest, ValuesThatReadASumByManyWaysStaySmall) {
  for (const std::string& text :
       {Chain(60, "(1,)", ""), Chain(60, "(4,)", "    for i in range(4):\n")}) {
    Context context;
    Diagnostics diagnostics;
    const auto module = ParseModule(context, "test.py", text, nullptr, {}, diagnostics);
    ASSERT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
    const ComputationResult result = ComputationOf(*module->functions()[0].func);
    ASSERT_TRUE(result.computation.has_value()) << result.because;
    EXPECT_LT(result.computation->steps.size(), 300);
  }
}

}  // namespace
}  // namespace tenon
