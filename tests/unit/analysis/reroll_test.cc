#include "analysis/reroll.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "fmt/format.h"
#include "interp/interpreter.h"
#include "parser/parser.h"
#include "printer/printer.h"

namespace tenon {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The rerolled body of a function on x and y, after a check that the interpreter gives the same
/// results for both, unless the body calls foreign code.
std::string Rerolled(const std::string& body, bool runs = true) {
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
  if (!runs) return PrintModule(rolled);
  std::vector<std::vector<uint8_t>> results;
  for (const IRModule* one : {&*module, static_cast<const IRModule*>(&rolled)}) {
    Tensor x{DataType::Int(32), {64}, std::vector<uint8_t>(256)};
    for (int32_t i = 0; i < 64; ++i) {
      const int32_t value = (i * 37 + 11) % 48;
      std::memcpy(x.bytes.data() + i * 4, &value, 4);
    }
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

/// `y[to(i)] = x[from(i)]` for `count` values of i.
template <class To, class From>
std::string Copies(int count, To to, From from) {
  std::string body;
  for (int i = 0; i < count; ++i)
    body += "    y[" + std::to_string(to(i)) + "] = x[" + std::to_string(from(i)) + "]\n";
  return body;
}

TEST(RerollTest, TwoStatementsAreALoop) {
  EXPECT_THAT(Rerolled("    y[3] = x[5]\n    y[2] = x[9]\n"), HasSubstr("for u in range(2):"));
  EXPECT_THAT(Rerolled("    y[3] = x[5]\n"), Not(HasSubstr("for")));
}

TEST(RerollTest, StatementsAfterTheLoopStay) {
  const std::string text = Rerolled(Copies(
      5, [](int i) { return i == 4 ? 40 : i; }, [](int i) { return 2 * i; }));
  EXPECT_THAT(text, HasSubstr("for u in range(4):"));
  EXPECT_THAT(text, HasSubstr("y[40] = x[8]"));
}

TEST(RerollTest, StatementsBeforeTheLoopStay) {
  const std::string text = Rerolled("    y[40] = x[8] + 1\n" +
                                    Copies(
                                        4, [](int i) { return i; }, [](int i) { return 2 * i; }));
  EXPECT_THAT(text, HasSubstr("y[40] = x[8] + 1"));
  EXPECT_THAT(text, HasSubstr("for u in range(4):"));
}

TEST(RerollTest, PartsOfABlockStay) {
  // Two rows of three, and two elements of a third row.
  const std::string text = Rerolled(Copies(
      8, [](int i) { return i / 3 * 10 + i % 3; }, [](int i) { return i; }));
  EXPECT_THAT(text, HasSubstr("T.grid(2, 3)"));
  EXPECT_THAT(text, HasSubstr("for u in range(2):"));
}

TEST(RerollTest, ThreeLevelsAtMost) {
  const auto place = [](int i) {
    return (i & 1) + (i >> 1 & 1) * 3 + (i >> 2 & 1) * 7 + (i >> 3 & 1) * 20;
  };
  const auto same = [](int i) { return i; };
  EXPECT_THAT(Rerolled(Copies(8, place, same)), HasSubstr("T.grid(2, 2, 2)"));
  EXPECT_THAT(Rerolled(Copies(16, place, same)), Not(HasSubstr("T.grid(2, 2, 2, 2)")));
}

TEST(RerollTest, GroupsHaveAtMostSixteenStatements) {
  for (const int period : {16, 17}) {
    std::string body;
    for (int i = 0; i < 2 * period; ++i) {
      // Each statement of a group adds another number.
      body += "    y[" + std::to_string(i) + "] = x[" + std::to_string(i / period) + "] + " +
              std::to_string(100 + i % period * (i % period)) + "\n";
    }
    EXPECT_EQ(Rerolled(body).find("for u in range(2):") != std::string::npos, period == 16);
  }
}

TEST(RerollTest, EqualStatementsStay) {
  EXPECT_THAT(Rerolled("    y[3] = y[3] + x[5]\n    y[3] = y[3] + x[5]\n"), Not(HasSubstr("for")));
}

TEST(RerollTest, DifferencesAndOtherTypesOfIndices) {
  EXPECT_THAT(Rerolled("    for i in range(1, 9):\n        y[i - 1] = x[i]\n"
                       "        y[i + 20] = x[i - 1]\n"),
              HasSubstr("y[i + -1 + u * 21] = x[T.Add(i, 0) + u * -1]"));
  EXPECT_THAT(Rerolled("    for i in range(T.int64(4)):\n        y[i] = x[i + T.int64(2)]\n"
                       "        y[i + T.int64(8)] = x[i + T.int64(4)]\n"),
              HasSubstr("T.Cast(\"int64\", u)"));
}

TEST(RerollTest, ComparisonsOfIndices) {
  for (const char* comparison : {"<", "<=", ">", ">=", "==", "!="}) {
    std::string body = "    for i in range(8):\n";
    for (const int unrolled : {0, 1, 2}) {
      body += "        if i " + std::string(comparison) + " " + std::to_string(unrolled * 2 + 1) +
              ":\n            y[i * 3 + " + std::to_string(unrolled) + "] = x[i + 3]\n";
    }
    EXPECT_THAT(Rerolled(body), HasSubstr("for i, u in T.grid(8, 3):")) << comparison;
  }
}

TEST(RerollTest, IndicesInsideIndices) {
  EXPECT_THAT(Rerolled("    y[0] = x[x[1] + 3]\n    y[1] = x[x[2] + 5]\n    y[2] = x[x[3] + 7]\n"),
              HasSubstr("for u in range(3):"));
  EXPECT_THAT(Rerolled("    y[3] = T.Select(x[1] < 20, x[5], 7)\n"
                       "    y[4] = T.Select(x[2] < 21, x[6], 7)\n"),
              HasSubstr("for u in range(2):"));
}

TEST(RerollTest, ValuesOfAllKinds) {
  for (const char* value :
       {"T.Select(x[%] < 3, x[%], 7)", "T.if_then_else(not x[%] < 3, x[%], 7)",
        "T.Cast(\"int32\", T.Cast(\"float32\", x[%]) * T.float32(0.5))", "T.max(x[%], 5)"}) {
    std::string body;
    for (const char* index : {"4", "6", "8"}) {
      std::string text = value;
      for (size_t at; (at = text.find('%')) != std::string::npos;) text.replace(at, 1, index);
      body += "    y[" + std::string(index) + "] = " + text + "\n";
    }
    EXPECT_THAT(Rerolled(body), HasSubstr("for u in range(3):")) << value;
  }
}

TEST(RerollTest, DifferentValuesAreNotOneStatement) {
  for (const auto& [first, second] : std::vector<std::pair<std::string, std::string>>{
           {"x[1] + 2", "x[2] + 3"},
           {"x[1] + 2", "x[2] - 2"},
           {"x[1]", "y[30]"},
           {"T.Select(x[1] < 3, x[2], 7)", "T.Select(x[2] <= 4, x[3], 7)"},
           {"T.if_then_else(x[1] < 3, x[2], 7)", "T.if_then_else(x[2] < 3, x[3], 8)"},
           {"T.Cast(\"int32\", T.Cast(\"float32\", x[1]) * T.float32(0.5))",
            "T.Cast(\"int32\", T.Cast(\"float32\", x[2]) * T.float32(0.25))"},
           {"T.Cast(\"int32\", T.Cast(\"int8\", x[1]))",
            "T.Cast(\"int32\", T.Cast(\"int16\", x[2]))"}}) {
    EXPECT_THAT(Rerolled("    y[3] = " + first + "\n    y[4] = " + second + "\n"),
                Not(HasSubstr("for")))
        << first;
  }
}

TEST(RerollTest, OnlyIntegersOf32BitsAreIndices) {
  const auto compared = [](const char* type, const char* second) {
    std::string body;
    for (const char* index : {"1", "2"}) {
      body +=
          fmt::format("    y[{0}] = T.Select(T.Cast(\"{1}\", x[{0}]) < T.{1}({2}), x[{0}], 0)\n",
                      index, type, *index == '1' ? "5" : second);
    }
    return Rerolled(body);
  };
  for (const char* type : {"int8", "uint32", "float32", "int64"}) {
    EXPECT_THAT(compared(type, "5"), HasSubstr("for u in range(2):")) << type;
  }
  EXPECT_THAT(compared("int64", "6"), HasSubstr("for u in range(2):"));
  for (const char* type : {"int8", "uint32", "float32"})
    EXPECT_THAT(compared(type, "6"), Not(HasSubstr("for u"))) << type;
}

TEST(RerollTest, CallsWithEffectsStay) {
  EXPECT_THAT(Rerolled("    y[0] = T.popcount(x[0])\n    y[1] = T.popcount(x[1])\n"),
              HasSubstr("for u in range(2):"));
  EXPECT_THAT(Rerolled("    y[0] = T.call_extern(\"int32\", \"g\", x[0])\n"
                       "    y[1] = T.call_extern(\"int32\", \"g\", x[1])\n",
                       /*runs=*/false),
              Not(HasSubstr("for u")));
}

TEST(RerollTest, ValuesThatItDoesNotCompareStay) {
  // The factors of `v` and `w` differ by more than the indices. A call that loops may have follows.
  EXPECT_THAT(Rerolled("    v = T.int32()\n    w = T.int32()\n"
                       "    y[0] = T.Let(v * 2, where={v: x[3]}) + T.popcount(x[0])\n"
                       "    y[1] = T.Let(w * 5, where={w: x[3]}) + T.popcount(x[1])\n"),
              Not(HasSubstr("for u")));
  EXPECT_THAT(Rerolled("    x_1 = T.Buffer((64,), \"int32\", data=x.data)\n"
                       "    x_1.vstore([T.Ramp(0, 1, 4)], T.Broadcast(T.popcount(x[0]), 4), "
                       "predicate=T.get_active_lane_mask(\"bool\", 0, 4))\n"
                       "    x_1.vstore([T.Ramp(4, 1, 4)], T.Broadcast(T.popcount(x[1]), 4), "
                       "predicate=T.get_active_lane_mask(\"bool\", 0, 4))\n",
                       /*runs=*/false),
              Not(HasSubstr("for u")));
}

TEST(RerollTest, DifferentLoopsAreNotOneStatement) {
  EXPECT_THAT(Rerolled("    for i in range(4):\n        y[i] = x[i]\n"
                       "    for k in range(5):\n        y[k + 8] = x[k + 4]\n"),
              Not(HasSubstr("for u")));
  EXPECT_THAT(Rerolled("    for i in range(1, 4):\n        y[i] = x[i]\n"
                       "    for k in range(4):\n        y[k + 8] = x[k + 4]\n"),
              Not(HasSubstr("for u")));
  // A loop variable of an enclosing loop is not one of the statement's own.
  EXPECT_THAT(
      Rerolled("    for i in range(4):\n        for k in range(4):\n            y[k] = x[k]\n"
               "        for k in range(4):\n            y[k + 8] = x[i + 4]\n"),
      Not(HasSubstr("for u")));
}

TEST(RerollTest, ArmsThatStoreElsewhereStay) {
  EXPECT_THAT(Rerolled("    for i in range(8):\n        if i < 3:\n            y[i] = x[i]\n"
                       "        else:\n            y[i + 9] = x[i]\n"),
              Not(HasSubstr("T.if_then_else")));
  EXPECT_THAT(Rerolled("    for i in range(8):\n        if i < 3:\n            y[i] = x[i]\n"
                       "        else:\n            x[i] = y[i]\n"),
              Not(HasSubstr("T.if_then_else")));
  // Indices of one form with different variables are different places.
  EXPECT_THAT(Rerolled("    for i in range(8):\n        for j in range(8):\n"
                       "            if i < 3:\n                y[i] = x[i]\n"
                       "            else:\n                y[j] = x[i]\n"),
              Not(HasSubstr("T.if_then_else")));
}

}  // namespace
}  // namespace tenon
