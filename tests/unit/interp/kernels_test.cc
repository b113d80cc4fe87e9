// Compares scalar semantics with independent formulas: every pair of int8 values, and corner cases
// of wide types.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "fmt/format.h"
#include "tests/unit/interp/run_text.h"

namespace tenon {
namespace {

std::vector<int8_t> AllInt8() {
  std::vector<int8_t> all;
  for (int i = -128; i < 128; ++i) all.push_back(static_cast<int8_t>(i));
  return all;
}

/// Runs C[i * 256 + j] = expression, with a = A[i] and b = A[j], if `guard` holds.
std::vector<int8_t> OnAllPairs(std::string_view expression, std::string_view guard) {
  Tensor a = MakeTensor(DataType::Int(8), {256}, AllInt8());
  Tensor c = MakeTensor(DataType::Int(8), {65536}, std::vector<int8_t>(65536));
  const std::string text = fmt::format(R"(
@T.prim_func
def main(A: T.Buffer((256,), "int8"), C: T.Buffer((65536,), "int8")):
    for i, j in T.grid(256, 256):
        a: T.int8 = A[i]
        b: T.int8 = A[j]
        if {}:
            C[i * 256 + j] = {}
)",
                                       guard, expression);
  const Outcome outcome = RunText(text, {&a, &c});
  EXPECT_TRUE(outcome.ok) << outcome.all;
  return Values<int8_t>(c);
}

using Formula = int (*)(int a, int b);

void ExpectOnAllPairs(std::string_view expression, Formula formula, bool (*guard)(int, int),
                      std::string_view guard_text) {
  const std::vector<int8_t> got = OnAllPairs(expression, guard_text);
  int wrong = 0;
  for (int a = -128; a < 128; ++a) {
    for (int b = -128; b < 128; ++b) {
      const int8_t value = got[static_cast<size_t>((a + 128) * 256 + b + 128)];
      const int8_t want = guard(a, b) ? static_cast<int8_t>(formula(a, b)) : int8_t{0};
      if (value != want && wrong++ < 3) {
        ADD_FAILURE() << expression << " of " << a << ", " << b << ": " << int{value} << ", not "
                      << int{want};
      }
    }
  }
}

bool Always(int, int) { return true; }
bool NotZero(int, int b) { return b != 0; }
bool ShiftInRange(int, int b) { return b >= 0 && b < 8; }

TEST(Int8, WrapsOnEveryPair) {
  const auto check = [](std::string_view text, Formula f) {
    ExpectOnAllPairs(text, f, Always, "T.bool(True)");
  };
  check("a + b", [](int a, int b) { return a + b; });
  check("a - b", [](int a, int b) { return a - b; });
  check("a * b", [](int a, int b) { return a * b; });
  check("T.min(a, b)", [](int a, int b) { return a < b ? a : b; });
  check("T.max(a, b)", [](int a, int b) { return a > b ? a : b; });
  check("T.bitwise_and(a, b)", [](int a, int b) { return a & b; });
  check("T.bitwise_or(a, b)", [](int a, int b) { return a | b; });
  check("T.bitwise_xor(a, b)", [](int a, int b) { return a ^ b; });
  check("T.bitwise_not(a)", [](int a, int) { return ~a; });
  check("T.Cast(\"int8\", a < b)", [](int a, int b) { return a < b ? 1 : 0; });
  check("T.Cast(\"int8\", a >= b)", [](int a, int b) { return a >= b ? 1 : 0; });
  check("T.Cast(\"int8\", a == b)", [](int a, int b) { return a == b ? 1 : 0; });
  check("T.popcount(a)", [](int a, int) { return __builtin_popcount(a & 0xff); });
  check("T.Cast(\"int8\", T.clz(a))",
        [](int a, int) { return (a & 0xff) == 0 ? 8 : __builtin_clz(a & 0xff) - 24; });
}

TEST(Int8, DividesOnEveryPair) {
  const auto check = [](std::string_view text, Formula f) {
    ExpectOnAllPairs(text, f, NotZero, "b != T.int8(0)");
  };
  check("T.Div(a, b)", [](int a, int b) { return a / b; });
  check("T.truncmod(a, b)", [](int a, int b) { return a % b; });
  check("a // b",
        [](int a, int b) { return static_cast<int>(std::floor(static_cast<double>(a) / b)); });
  check("a % b", [](int a, int b) {
    return a - b * static_cast<int>(std::floor(static_cast<double>(a) / b));
  });
}

TEST(Int8, ShiftsOnEveryPair) {
  const auto check = [](std::string_view text, Formula f) {
    ExpectOnAllPairs(text, f, ShiftInRange, "T.int8(0) <= b and b < T.int8(8)");
  };
  check("T.shift_left(a, b)", [](int a, int b) { return a * (1 << b); });
  check("T.shift_right(a, b)",
        [](int a, int b) { return static_cast<int>(std::floor(a / static_cast<double>(1 << b))); });
}

TEST(Wide, TheQuotientThatDoesNotFitWraps) {
  Tensor a = MakeTensor<int32_t>(DataType::Int(32), {2}, {std::numeric_limits<int32_t>::min(), -1});
  Tensor c = MakeTensor<int32_t>(DataType::Int(32), {4}, {0, 0, 0, 0});
  const Outcome outcome = RunText(R"(
@T.prim_func
def main(A: T.Buffer((2,), "int32"), C: T.Buffer((4,), "int32")):
    C[0] = T.Div(A[0], A[1])
    C[1] = T.truncmod(A[0], A[1])
    C[2] = A[0] // A[1]
    C[3] = A[0] - 1
)",
                                  {&a, &c});
  ASSERT_TRUE(outcome.ok) << outcome.all;
  EXPECT_THAT(Values<int32_t>(c), testing::ElementsAre(std::numeric_limits<int32_t>::min(), 0,
                                                       std::numeric_limits<int32_t>::min(),
                                                       std::numeric_limits<int32_t>::max()));
}

TEST(Casts, FloatToIntegerSaturatesAndNanGivesZero) {
  const float inf = std::numeric_limits<float>::infinity();
  Tensor a = MakeTensor<float>(DataType::Float(32), {6}, {1.9f, -1.9f, 300.0f, -300.0f, inf, NAN});
  Tensor c = MakeTensor<int8_t>(DataType::Int(8), {6}, std::vector<int8_t>(6));
  Tensor d = MakeTensor<uint8_t>(DataType::UInt(8), {6}, std::vector<uint8_t>(6));
  const Outcome outcome = RunText(R"(
@T.prim_func
def main(A: T.Buffer((6,), "float32"), C: T.Buffer((6,), "int8"), D: T.Buffer((6,), "uint8")):
    for i in range(6):
        C[i] = T.Cast("int8", A[i])
        D[i] = T.Cast("uint8", A[i])
)",
                                  {&a, &c, &d});
  ASSERT_TRUE(outcome.ok) << outcome.all;
  EXPECT_THAT(Values<int8_t>(c), testing::ElementsAre(1, -1, 127, -128, 127, 0));
  EXPECT_THAT(Values<uint8_t>(d), testing::ElementsAre(1, 0, 255, 0, 255, 0));
}

// The definition in wide arithmetic: floor((x * y * 2^left + half) / 2^(right + q)).
int32_t QMultiplyShift(int32_t x, int32_t y, int q, int s) {
  const __int128 left = s > 0 ? s : 0;
  const int total = (s < 0 ? -s : 0) + q;
  const __int128 product = static_cast<__int128>(x) * (static_cast<__int128>(1) << left) * y;
  const __int128 rounded = product + (static_cast<__int128>(1) << (total - 1));
  return static_cast<int32_t>(static_cast<int64_t>(rounded >> total));
}

TEST(QMultiplyShift, EqualsTheWideFormula) {
  std::mt19937 random(7);
  std::vector<int32_t> xs = {0, 1, -1, 2147483647, -2147483647 - 1};
  while (xs.size() < 200) xs.push_back(static_cast<int32_t>(random()));
  for (const int s : {-20, -7, -1, 0, 1}) {
    const int32_t y = static_cast<int32_t>((1u << 30) + 1 + random() % (1u << 30));
    Tensor a = MakeTensor(DataType::Int(32), {200}, xs);
    Tensor c = MakeTensor(DataType::Int(32), {200}, std::vector<int32_t>(200));
    Tensor d = MakeTensor(DataType::Int(32), {200}, std::vector<int32_t>(200));
    const Outcome outcome =
        RunText(fmt::format(R"(
@T.prim_func
def main(A: T.Buffer((200,), "int32"), C: T.Buffer((200,), "int32"), D: T.Buffer((200,), "int32")):
    for i in range(200):
        C[i] = T.q_multiply_shift(A[i], {0}, 31, {1})
        D[i] = T.q_multiply_shift_per_axis(A[i], {0}, {2}, {3}, 31, T.bool({4}), T.bool(True))
)",
                            y, s, s > 0 ? s : 5, s < 0 ? -s : 0, s > 0 ? "True" : "False"),
                {&a, &c, &d});
    ASSERT_TRUE(outcome.ok) << outcome.all;
    const auto got = Values<int32_t>(c);
    const auto per_axis = Values<int32_t>(d);
    for (size_t i = 0; i < xs.size(); ++i) {
      ASSERT_EQ(got[i], QMultiplyShift(xs[i], y, 31, s)) << xs[i] << " " << y << " " << s;
      ASSERT_EQ(per_axis[i], QMultiplyShift(xs[i], y, 31, s)) << xs[i] << " " << y << " " << s;
    }
  }
}

TEST(QMultiplyShift, ShiftsBeyondTheProductGiveZero) {
  Tensor a = MakeTensor<int32_t>(DataType::Int(32), {2}, {1073741760, -1073741760});
  Tensor c = MakeTensor<int32_t>(DataType::Int(32), {4}, {9, 9, 9, 9});
  const Outcome outcome = RunText(R"(
@T.prim_func
def main(A: T.Buffer((2,), "int32"), C: T.Buffer((4,), "int32")):
    for i in range(2):
        C[i] = T.q_multiply_shift_per_axis(A[i], 1938597375, 0, 35, 31, T.bool(False), T.bool(True))
        C[2 + i] = T.q_multiply_shift_per_axis(A[i], 1938597375, 0, 32, 31, T.bool(False), T.bool(True))
)",
                                  {&a, &c});
  ASSERT_TRUE(outcome.ok) << outcome.all;
  EXPECT_THAT(Values<int32_t>(c), testing::ElementsAre(0, 0, 0, 0));
}

TEST(QMultiplyShift, OneHalfIsARoundedShiftInInt32) {
  Tensor a = MakeTensor<int32_t>(DataType::Int(32), {3}, {5, -5, 2147483647});
  Tensor c = MakeTensor<int32_t>(DataType::Int(32), {6}, std::vector<int32_t>(6));
  const Outcome outcome = RunText(R"(
@T.prim_func
def main(A: T.Buffer((3,), "int32"), C: T.Buffer((6,), "int32")):
    for i in range(3):
        C[i] = T.q_multiply_shift(A[i], 1073741824, 31, 0)
        C[3 + i] = T.q_multiply_shift(A[i], 1073741824, 31, 3)
)",
                                  {&a, &c});
  ASSERT_TRUE(outcome.ok) << outcome.all;
  // (x + 1) >> 1 wraps for the largest x; a left shift does not saturate.
  EXPECT_THAT(Values<int32_t>(c), testing::ElementsAre(3, -2, -1073741824, 20, -20, -4));
}

TEST(Math, Float32IsTheCLibrarysFloat) {
  const std::vector<float> xs = {0.1f, 0.5f, 0.9f, 1.0f};
  const std::pair<const char*, float (*)(float)> functions[] = {
      {"exp", expf},     {"log", logf},     {"tanh", tanhf},   {"sin", sinf},
      {"cos", cosf},     {"sqrt", sqrtf},   {"erf", erff},     {"atan", atanf},
      {"exp2", exp2f},   {"log2", log2f},   {"log1p", log1pf}, {"asinh", asinhf},
      {"floor", floorf}, {"round", roundf}, {"ceil", ceilf},   {"acos", acosf}};
  for (const auto& [name, function] : functions) {
    Tensor a = MakeTensor(DataType::Float(32), {4}, xs);
    Tensor c = MakeTensor(DataType::Float(32), {8}, std::vector<float>(8));
    const Outcome outcome = RunText(fmt::format(R"(
@T.prim_func
def main(A: T.Buffer((4,), "float32"), C: T.Buffer((8,), "float32")):
    for i in range(4):
        C[i] = T.{0}(A[i])
        C[4 + i] = T.call_pure_extern("float32", "{0}f", A[i])
)",
                                                name),
                                    {&a, &c});
    ASSERT_TRUE(outcome.ok) << outcome.all;
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(Values<float>(c)[i], function(xs[i])) << name;
      EXPECT_EQ(Values<float>(c)[4 + i], function(xs[i])) << name;
    }
  }
}

TEST(Math, HalvesRoundAfterEachOperation) {
  // 2048 + 1 is a tie in float16 and goes to even, twice; in float it would be 2050.
  Tensor c = MakeTensor<uint16_t>(DataType::Float(16), {1}, {0});
  const Outcome outcome = RunText(R"(
@T.prim_func
def main(C: T.Buffer((1,), "float16")):
    C[0] = T.float16(2048)
    C[0] = C[0] + T.float16(1) + T.float16(1)
)",
                                  {&c});
  ASSERT_TRUE(outcome.ok) << outcome.all;
  EXPECT_EQ(Values<uint16_t>(c)[0], 0x6800);
}

}  // namespace
}  // namespace tenon
