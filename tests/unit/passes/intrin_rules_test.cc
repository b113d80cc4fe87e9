#include "passes/lowering/intrin_rules.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "arith/eval.h"
#include "ir/builtins.h"
#include "ir/context.h"

namespace tenon {
namespace {

class IntrinRules : public testing::Test {
 protected:
  int64_t Run(const Expr* expr, std::initializer_list<std::pair<const Var*, int64_t>> values) {
    VarValues bound;
    for (const auto& [var, value] : values) bound[var] = ScalarValue::Int(var->dtype, value);
    const std::optional<ScalarValue> result = EvaluateExpr(expr, bound);
    EXPECT_TRUE(result.has_value());
    return result.has_value() ? result->integer : 0;
  }
  const Var* Variable(const char* name, DataType dtype) { return nodes_.NewVar(name, dtype); }

  Context context_;
  Arena arena_;
  NodeBuilder nodes_{context_, arena_};
  IntrinBuilder make_{nodes_, {}};
};

/// Every pair of int8 values, with divisors as variables and as constants, for dividends with
/// loose, tight and exact bounds.
TEST_F(IntrinRules, FloorDivisionOfAllBytes) {
  const DataType byte = DataType::Int(8);
  const Var* a = Variable("a", byte);
  const Var* b = Variable("b", byte);
  const Interval all = Interval::OfDType(byte);
  const Interval positive{1, 127};
  for (int64_t y = -128; y < 128; ++y) {
    if (y == 0) continue;
    const Expr* constant = make_.Int(byte, y);
    struct Case {
      const Expr* divisor;
      Interval dividend, divisors;
    };
    std::vector<Case> cases = {{b, all, all},
                               {constant, all, Interval::Point(y)},
                               {constant, {-20, 50}, Interval::Point(y)},
                               {constant, {0, 127}, Interval::Point(y)}};
    if (y > 0) cases.push_back({b, all, positive});
    for (const Case& test : cases) {
      const Expr* quotient = LowerFloorDiv(make_, a, test.divisor, test.dividend, test.divisors);
      const Expr* remainder = LowerFloorMod(make_, a, test.divisor, test.dividend, test.divisors);
      for (int64_t x = test.dividend.min; x <= test.dividend.max; ++x) {
        if (x == -128 && y == -1) continue;  // the quotient does not fit
        ASSERT_EQ(Run(quotient, {{a, x}, {b, y}}), FloorDivide(x, y)) << x << " // " << y;
        ASSERT_EQ(Run(remainder, {{a, x}, {b, y}}), FloorRemainder(x, y)) << x << " % " << y;
      }
    }
  }
}

/// TVM's rule in plain C++ (in __int128, which cannot overflow).
int64_t MultiplyShift(int32_t x, int64_t y, int64_t q, int64_t s) {
  if (y == int64_t{1} << 30) {
    const int64_t e = s - 1;
    if (e > 0) return static_cast<int32_t>(static_cast<uint32_t>(x) << e);
    if (e == 0) return x;
    const uint32_t sum = static_cast<uint32_t>(x) + (uint32_t{1} << (-e - 1));
    return static_cast<int32_t>(sum) >> -e;
  }
  const int64_t left = std::max<int64_t>(s, 0);
  const int64_t total = std::max<int64_t>(-s, 0) + q;
  const uint64_t product = (static_cast<uint64_t>(int64_t{x}) << left) * static_cast<uint64_t>(y);
  const auto sum = static_cast<int64_t>(product + (uint64_t{1} << (total - 1)));
  return static_cast<int32_t>(sum >> total);
}

TEST_F(IntrinRules, MultiplyShiftIsTheRuleBitForBit) {
  const DataType word = DataType::Int(32);
  const Var* x = Variable("x", word);
  std::mt19937 random(7);
  const int32_t edges[] = {0, 1, -1, 2, 3, -3, INT32_MAX, INT32_MIN, 1 << 20, -(1 << 20)};
  for (int64_t y : {int64_t{1} << 30, int64_t{1395864371}, int64_t{INT32_MAX}, int64_t{0}}) {
    for (int64_t s = -20; s <= 12; ++s) {
      const Expr* args[] = {x, make_.Int(word, y), make_.Int(word, 31), make_.Int(word, s)};
      const Expr* lowered = LowerMultiplyShift(make_, args);
      ASSERT_NE(lowered, nullptr);
      for (int i = 0; i < 40; ++i) {
        const int32_t value = i < 10 ? edges[i] : static_cast<int32_t>(random());
        ASSERT_EQ(Run(lowered, {{x, value}}), MultiplyShift(value, y, 31, s))
            << value << " * " << y << " >> " << s;
      }
    }
  }
}

TEST_F(IntrinRules, MultiplyShiftWithVariables) {
  const DataType word = DataType::Int(32);
  const Var* x = Variable("x", word);
  const Var* y = Variable("y", word);
  const Var* s = Variable("s", word);
  const Expr* args[] = {x, y, make_.Int(word, 31), s};
  const Expr* lowered = LowerMultiplyShift(make_, args);
  const Expr* per_axis[] = {x,
                            y,
                            s,
                            s,
                            make_.Int(word, 31),
                            make_.Int(DataType::Bool(), 0),
                            make_.Int(DataType::Bool(), 1)};
  const Expr* right = LowerMultiplyShiftPerAxis(make_, per_axis);
  std::mt19937 random(8);
  for (int i = 0; i < 200; ++i) {
    const auto value = static_cast<int32_t>(random());
    const auto factor = static_cast<int32_t>(random() >> 1);
    const auto shift = static_cast<int32_t>(random() % 20) - 12;
    if (factor == 1 << 30) continue;
    EXPECT_EQ(Run(lowered, {{x, value}, {y, factor}, {s, shift}}),
              MultiplyShift(value, factor, 31, shift));
    if (shift < 0) continue;
    EXPECT_EQ(Run(right, {{x, value}, {y, factor}, {s, shift}}),
              MultiplyShift(value, factor, 31, -shift));
  }
}

TEST_F(IntrinRules, ShiftsWithoutAValueAreRefused) {
  const DataType word = DataType::Int(32);
  const Var* x = Variable("x", word);
  for (int64_t s : {-33, 64}) {
    const Expr* args[] = {x, make_.Int(word, 5), make_.Int(word, 31), make_.Int(word, s)};
    EXPECT_EQ(LowerMultiplyShift(make_, args), nullptr);
  }
}

TEST_F(IntrinRules, BitCounts) {
  for (const int bits : {8, 16, 32, 64}) {
    for (const DataType dtype : {DataType::Int(bits), DataType::UInt(bits)}) {
      const Var* x = Variable("x", dtype);
      const Expr* ones = LowerMathCall(make_, nodes_.NewCall(dtype, OpKind::kPopcount, {x}), true);
      const Expr* zeros =
          LowerMathCall(make_, nodes_.NewCall(DataType::Int(32), OpKind::kClz, {x}), true);
      std::mt19937_64 random(9);
      for (int i = 0; i < 300; ++i) {
        uint64_t value = i < 64 ? uint64_t{1} << i : random() >> (random() % 64);
        if (i == 64) value = 0;
        value &= ~uint64_t{0} >> (64 - bits);
        const int64_t input = ScalarValue::Int(dtype, static_cast<int64_t>(value)).integer;
        ASSERT_EQ(Run(ones, {{x, input}}), std::popcount(value)) << bits << ": " << value;
        ASSERT_EQ(Run(zeros, {{x, input}}), std::countl_zero(value) - (64 - bits))
            << bits << ": " << value;
      }
    }
  }
}

}  // namespace
}  // namespace tenon
