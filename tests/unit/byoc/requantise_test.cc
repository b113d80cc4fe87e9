#include "byoc/requantise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "byoc/recognise_ops.h"
#include "parser/parser.h"
#include "tests/unit/byoc/claim_check.h"

namespace tenon {
namespace {

using ::testing::Contains;
using ::testing::Key;

Rescale RandomRescale(Rounding rounding, std::mt19937& random) {
  Rescale rescale{.rounding = rounding};
  rescale.multiplier = static_cast<int64_t>((1U << 30) + random() % (1U << 30));
  if (random() % 8 == 0) rescale.multiplier = int64_t{1} << 30;
  rescale.shift = static_cast<int>(random() % 16) - 13;
  rescale.scale = std::ldexp(static_cast<double>(rescale.multiplier), rescale.shift - 31);
  return rescale;
}

TEST(Rescale, FirstSumOfEachResult) {
  std::mt19937 random(1);
  for (const Rounding rounding : {Rounding::kTwice, Rounding::kOnce, Rounding::kFloat}) {
    for (int i = 0; i < 300; ++i) {
      const Rescale rescale = RandomRescale(rounding, random);
      for (int64_t result = -130; result <= 130; result += 13) {
        const std::optional<int64_t> first = rescale.FirstOf(result);
        ASSERT_TRUE(first.has_value());
        EXPECT_GE(*rescale.Of(*first), result);
        EXPECT_LT(*rescale.Of(*first - 1), result);
      }
    }
  }
}

TEST(Rescale, EqualFunctionsAreEqualForAllSums) {
  std::mt19937 random(2);
  int equal = 0;
  for (int i = 0; i < 2000; ++i) {
    const Rescale a = RandomRescale(Rounding::kTwice, random);
    Rescale b = a;
    b.rounding = random() % 2 == 0 ? Rounding::kOnce : Rounding::kTwice;
    b.multiplier += static_cast<int64_t>(random() % 3) - 1;
    const int64_t most = static_cast<int64_t>(random() % 300);
    bool all = true;
    for (int64_t sum = -most; sum <= most; ++sum) {
      const auto clamped = [&](const Rescale& one) {
        return std::clamp<int64_t>(*one.Of(sum), -128, 127);
      };
      all = all && clamped(a) == clamped(b);
    }
    equal += all ? 1 : 0;
    EXPECT_EQ(AreEqual(a, b, -most, most, -128, 127), all);
  }
  EXPECT_GT(equal, 100);
  EXPECT_LT(equal, 1900);
}

/// A dense layer with random numbers, which is written in one of several ways.
class RandomLayer {
 public:
  explicit RandomLayer(uint32_t seed) : random_(seed) {}

  std::string Text() {
    const std::string numbers = fmt::format(
        "        w = T.allocate_const([{}], \"int8\", [24])\n"
        "        w_1 = T.Buffer((24,), \"int8\", data=w)\n"
        "        b = T.allocate_const([{}], \"int32\", [4])\n"
        "        b_1 = T.Buffer((4,), \"int32\", data=b)\n"
        "        m = T.allocate_const([{}], \"int32\", [4])\n"
        "        m_1 = T.Buffer((4,), \"int32\", data=m)\n"
        "        s = T.allocate_const([{}], \"int32\", [4])\n"
        "        s_1 = T.Buffer((4,), \"int32\", data=s)\n",
        List(24, -128, 127), List(4, -40000, 40000), Multipliers(), List(4, 5, 9));
    const int64_t low = Number(-128, 20);
    form_ = Number(0, 6);
    const std::string before = Before(), form = Form();
    return fmt::format(R"(@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer((6,), "int8"), y: T.Buffer((4,), "int8")):
        T.func_attr({{"tir.noalias": T.bool(True)}})
{}        acc = T.allocate([1], "int32", "global")
        a = T.Buffer((1,), "int32", data=acc)
{}        for n in range(4):
            a[0] = 0
            for k in range(6):
                a[0] = a[0] + (T.Cast("int32", x[k]) - {}) * T.Cast("int32", w_1[n * 6 + k])
            a[0] = a[0] + b_1[n]
{}            y[n] = T.Cast("int8", T.max(T.min({} + {}, {}), {}))
)",
                       numbers, Buffers(), Number(-128, 127), before, form, Number(-128, 127),
                       Number(low + 1, 127), low);
  }

 private:
  int64_t Number(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random_() % static_cast<uint64_t>(most - least + 1));
  }
  std::string List(int count, int64_t least, int64_t most) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += fmt::format("{}{}", i == 0 ? "" : ", ", Number(least, most));
    return text;
  }
  std::string Multipliers() { return List(4, int64_t{1} << 30, (int64_t{1} << 31) - 1); }

  std::string Buffers() const {
    if (form_ > 1 && form_ < 6) return "";
    return "        high = T.allocate([1], \"int32\", \"global\")\n"
           "        h = T.Buffer((1,), \"int32\", data=high)\n";
  }
  std::string Before() {
    if (form_ == 6) {
      return "            h[0] = T.Cast(\"int32\", T.shift_right(T.Cast(\"int64\", a[0]) * "
             "T.Cast(\"int64\", m_1[n]) + T.int64(137438953471), T.int64(38)))\n";
    }
    if (form_ > 1) return "";
    return "            h[0] = T.Cast(\"int32\", T.shift_right(T.Cast(\"int64\", a[0]) * "
           "T.Cast(\"int64\", m_1[n]) + T.int64(1073741824), T.int64(31)))\n";
  }
  std::string Form() {
    switch (form_) {
      case 0:
        return "T.shift_right(h[0] + T.shift_left(1, s_1[n] - 1) + T.shift_right(h[0], 31), "
               "s_1[n])";
      case 1:  // without the correction of ties
        return "T.shift_right(h[0] + T.shift_left(1, s_1[n] - 1), s_1[n])";
      case 2:
        return "T.q_multiply_shift_per_axis(a[0], m_1[n], 0, s_1[n], 31, T.bool(False), "
               "T.bool(True))";
      case 3:
        return fmt::format("T.q_multiply_shift(a[0], {}, 31, -{})",
                           Number(int64_t{1} << 30, (int64_t{1} << 31) - 1), Number(4, 9));
      case 4:
        return fmt::format(
            "T.Cast(\"int32\", T.nearbyint(T.Cast(\"float32\", a[0]) * T.float32({:.9g})))",
            static_cast<double>(static_cast<float>(static_cast<double>(Number(1000, 9999)) / 1e6)));
      case 6:  // ties to even
        return "T.Cast(\"int32\", T.shift_right(T.Cast(\"int64\", T.bitwise_and(h[0], 1)) * "
               "T.int64(1) + T.int64(137438953471) + T.Cast(\"int64\", a[0]) * "
               "T.Cast(\"int64\", m_1[n]), T.int64(38)))";
      default:
        return fmt::format(
            "T.Cast(\"int32\", T.round(T.Cast(\"float64\", a[0]) * T.float64({:.17g})))",
            static_cast<double>(Number(1000, 9999)) / 1e6);
    }
  }

  std::mt19937 random_;
  int64_t form_ = 0;
};

/// 250 layers, 10 inputs each: 10,000 results.
TEST(Requantise, MembersOfRandomLayersGiveTheResultsOfTheBody) {
  std::map<Rounding, int> found;
  int without = 0;
  for (uint32_t seed = 0; seed < 250; ++seed) {
    const std::string text = RandomLayer(seed).Text();
    Context context;
    Diagnostics diagnostics;
    const auto module = ParseModule(context, "test.py", text, nullptr, {}, diagnostics);
    ASSERT_TRUE(module.has_value()) << text << Render(context.sources(), diagnostics);
    PassContext pass{.diagnostics = diagnostics, .threads = 1, .counters = {}};
    const auto claimed = RecogniseOps(*module, {}, pass);
    const auto interpreter = Interpreter::Compile(*module, diagnostics);
    ASSERT_TRUE(claimed.ok() && interpreter.ok()) << text;
    const Function& function = claimed->functions()[0];
    const std::optional<OpInfo> info = ReadOpInfo(function);
    ASSERT_TRUE(info.has_value());
    EXPECT_EQ(info->kind, "dense");
    if (!info->requantise) {
      ++without;
      continue;
    }
    ++found[info->requantise->rounding];
    for (uint32_t run = 0; run < 10; ++run)
      ASSERT_EQ(CheckClaim(*interpreter, function, *info, seed * 16 + run), "") << text;
  }
  EXPECT_EQ(without, 0);
  for (const Rounding rounding :
       {Rounding::kTwice, Rounding::kOnce, Rounding::kFloat, Rounding::kTable})
    EXPECT_THAT(found, Contains(Key(rounding)));
}

}  // namespace
}  // namespace tenon
