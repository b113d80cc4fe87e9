// Requantisation in words: the same integers as the builtins, at the edges of their arguments.

#include "passes/loops/requantize_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "byoc/known_passes.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "interp/interpreter.h"
#include "ir/builtins.h"
#include "ir/visitor.h"
#include "parser/parser.h"
#include "passes/pipeline/pipeline.h"
#include "passes/pipeline/runner.h"

namespace tenon {
namespace {

constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
constexpr int32_t kMost = std::numeric_limits<int32_t>::max();

/// The integers next to the powers of two.
std::vector<int32_t> Numbers() {
  std::vector<int32_t> numbers = {kLeast, kLeast + 1, kMost, -3, -2, 0, 2, 3, 1518500250};
  for (const int bits : {0, 1, 2, 7, 8, 15, 16, 24, 29, 30}) {
    for (const int32_t near : {-1, 0, 1}) {
      numbers.push_back((int32_t{1} << bits) + near);
      numbers.push_back(-(int32_t{1} << bits) + near);
    }
  }
  return numbers;
}

/// A function that computes `value` from `x[i]` for each `i`.
std::string ModuleText(size_t count, const std::string& constants, const std::string& value) {
  return fmt::format(
      "# from tvm.script import tir as T\n\n@T.prim_func\n"
      "def main(x: T.Buffer(({0},), \"int32\"), y: T.Buffer(({0},), \"int32\")):\n"
      "    T.func_attr({{\"tir.noalias\": T.bool(True)}})\n"
      "{1}    for i in range({0}):\n        y[i] = {2}\n",
      count, constants, value);
}

std::string ConstantText(const std::string& name, const std::string& dtype,
                         const std::vector<int32_t>& values) {
  return fmt::format(
      "    {0} = T.allocate_const([{1}], \"{2}\", [{3}])\n"
      "    {0}_1 = T.Buffer(({3},), \"{2}\", data={0})\n",
      name, fmt::join(values, ", "), dtype, values.size());
}

std::vector<int32_t> ResultsOf(const IRModule& module, const std::vector<int32_t>& numbers) {
  Diagnostics diagnostics;
  const auto interpreter = Interpreter::Compile(module, diagnostics);
  if (!interpreter.ok()) return {};
  const auto count = static_cast<int64_t>(numbers.size());
  Tensor x{DataType::Int(32), {count}, std::vector<uint8_t>(numbers.size() * sizeof(int32_t))};
  std::memcpy(x.bytes.data(), numbers.data(), x.bytes.size());
  Tensor y{DataType::Int(32), {count}, std::vector<uint8_t>(x.bytes.size())};
  if (!interpreter->Run("main", {Argument::Of(&x), Argument::Of(&y, true)}, diagnostics)) return {};
  std::vector<int32_t> results(numbers.size());
  std::memcpy(results.data(), y.bytes.data(), y.bytes.size());
  return results;
}

bool HasBuiltin(const IRModule& module) {
  bool found = false;
  for (const Function& function : module.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      const auto* call = dyn_cast<Call>(node);
      found |= call != nullptr && (call->op->kind == OpKind::kQMultiplyShift ||
                                   call->op->kind == OpKind::kQMultiplyShiftPerAxis);
      return true;
    });
  }
  return found;
}

class RequantizeWordsTest : public testing::TestWithParam<std::string> {
 protected:
  /// Compares the results of a text with and without the pass. If `replaces` is true, the pass must
  /// replace all builtins.
  void Compare(const std::string& text, const std::vector<int32_t>& numbers, bool replaces = true) {
    Context context;
    Diagnostics diagnostics;
    const auto module = ParseModule(context, "m.py", text, nullptr, {}, diagnostics);
    ASSERT_TRUE(module.has_value()) << Render(context.sources(), diagnostics);
    const auto pipeline = ParsePipeline(context, GetParam(), KnownPasses(), diagnostics);
    ASSERT_TRUE(pipeline.has_value()) << Render(context.sources(), diagnostics);
    const auto after = RunPipeline(*module, *pipeline, RunOptions(), diagnostics);
    ASSERT_TRUE(after.has_value()) << Render(context.sources(), diagnostics);
    EXPECT_FALSE(replaces && HasBuiltin(*after)) << text;
    const std::vector<int32_t> results = ResultsOf(*module, numbers);
    ASSERT_FALSE(results.empty());
    EXPECT_EQ(results, ResultsOf(*after, numbers)) << text;
  }

  /// Each number with each factor and each shift.
  void CompareEach(const std::vector<int32_t>& factors, int32_t most_shift) {
    std::vector<int32_t> x;
    std::vector<int32_t> m;
    std::vector<int32_t> r;
    for (const int32_t number : Numbers()) {
      for (const int32_t factor : factors) {
        for (int32_t shift = 2; shift <= most_shift; ++shift) {
          x.push_back(number);
          m.push_back(factor);
          r.push_back(shift);
        }
      }
    }
    Compare(ModuleText(x.size(), ConstantText("m", "int32", m) + ConstantText("r", "int8", r),
                       "T.q_multiply_shift_per_axis(x[i], m_1[i], 0, T.Cast(\"int32\", r_1[i]), "
                       "31, T.bool(False), T.bool(True))"),
            x);
  }
};

TEST_P(RequantizeWordsTest, EachFactorAndShift) { CompareEach(Numbers(), 31); }

// Channels whose weights are nearly 0 have such shifts.
TEST_P(RequantizeWordsTest, LongShifts) {
  std::vector<int32_t> factors = Numbers();
  std::erase(factors, kLeast);
  CompareEach(factors, 40);
}

// Numbers of few bits are shifted to the left before they are multiplied.
TEST_P(RequantizeWordsTest, ShortShiftsOfSmallNumbers) {
  std::vector<int32_t> numbers;
  for (int32_t number = -300; number <= 300; ++number) numbers.push_back(number);
  for (const int factor : {1073741825, 1098017566, 1518500250, kMost, -1, kLeast}) {
    for (int shift = -31; shift <= 4; ++shift) {
      Compare(
          ModuleText(numbers.size(), "",
                     fmt::format("T.q_multiply_shift(T.max(T.min(x[i], 255), -260), {}, 31, {})",
                                 factor, shift)),
          numbers);
    }
  }
}

// Products with 31 fractional bits, as TensorFlow Lite rounds them: for all numbers, and for
// numbers after a ReLU, whose product is unsigned.
TEST_P(RequantizeWordsTest, ProductsInQ31) {
  std::vector<int32_t> x;
  std::vector<int32_t> m;
  std::vector<int32_t> positive;
  for (const int32_t number : Numbers()) {
    for (const int32_t factor : Numbers()) {
      x.push_back(number);
      m.push_back(factor);
      positive.push_back(std::max(factor, 0));
    }
  }
  const std::string product =
      "T.Cast(\"int32\", T.shift_right(T.Cast(\"{0}\", {1}) * T.Cast(\"{0}\", m_1[i]) + "
      "T.{0}({2}), T.{0}({3})))";
  const auto compare = [&](const std::string& dtype, const std::vector<int32_t>& factors,
                           const std::string& wide, const std::string& number) {
    for (const int shift : {30, 31, 32, 33, 38, 62}) {
      Compare(ModuleText(x.size(), ConstantText("m", dtype, factors),
                         fmt::format(fmt::runtime(product), wide, number, int64_t{1} << (shift - 1),
                                     shift)),
              x, false);
    }
  };
  compare("int32", m, "int64", "x[i]");
  compare("int32", positive, "int64", "x[i]");
  compare("uint32", positive, "int64", "x[i]");
  compare("uint32", positive, "uint64", "T.max(x[i], 0)");
  compare("uint32", positive, "uint64", "x[i]");
}

// The shift of each channel after such a product.
TEST_P(RequantizeWordsTest, WideShifts) {
  std::vector<int32_t> x;
  std::vector<int32_t> r;
  for (const int32_t number : Numbers()) {
    for (int32_t shift = 1; shift <= 40; ++shift) {
      x.push_back(number);
      r.push_back(shift);
    }
  }
  for (const std::string& value :
       {std::string("T.Cast(\"int64\", x[i])"),
        std::string("T.Cast(\"int64\", T.max(x[i], 0) // 2)"),
        std::string("T.Cast(\"int64\", T.shift_right(T.Cast(\"uint64\", T.max(x[i], 0)) * "
                    "T.uint64(1518500250) + T.uint64(1073741824), T.uint64(31)))")}) {
    Compare(ModuleText(x.size(), ConstantText("r", "int8", r),
                       fmt::format("T.Cast(\"int32\", T.shift_right({} + T.shift_left(T.int64(1), "
                                   "T.Cast(\"int64\", r_1[i]) - T.int64(1)), T.Cast(\"int64\", "
                                   "r_1[i])))",
                                   value)),
            x, false);
  }
}

// The numbers before and after a clip become one number.
TEST_P(RequantizeWordsTest, Clips) {
  const std::vector<int32_t> numbers = Numbers();
  const std::string scaled = "T.q_multiply_shift(x[i], 1518500250, 31, -2)";
  for (const int number : {0, 1, -128, 127, kMost / 2, kMost, kLeast}) {
    const std::string clip = fmt::format("T.max(T.min({} + {}, 127), -128)", scaled, number);
    for (const std::string& value :
         {fmt::format("{} + 128", clip), fmt::format("{} - {}", clip, kMost),
          fmt::format("T.Cast(\"int32\", T.Cast(\"int16\", {}) + T.int16(128))", clip),
          fmt::format("T.Cast(\"int32\", T.Cast(\"int16\", {}) - T.int16(32700))", clip),
          fmt::format("T.Cast(\"int32\", T.Cast(\"int8\", {}) + T.int8(1))", clip)}) {
      Compare(ModuleText(numbers.size(), "", value), numbers);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, RequantizeWordsTest,
                         testing::Values("requantize-words", "requantize-words{twice=true}",
                                         "requantize-words{twice=true},simplify,vectorize-loops"),
                         [](const testing::TestParamInfo<std::string>& info) {
                           return fmt::format("Case{}", info.index);
                         });

}  // namespace
}  // namespace tenon
