#include "arith/analyzer.h"

#include <gtest/gtest.h>

#include "ir/builtins.h"
#include "tests/unit/arith/arith_test_util.h"

namespace tenon {
namespace {

const DataType kInt32 = DataType::Int(32);

TEST_F(ArithTest, RemovesNeutralElements) {
  const E x = Variable("x");
  EXPECT_EQ(Simplified(x * 1), "x");
  EXPECT_EQ(Simplified(x + 0), "x");
  EXPECT_EQ(Simplified(x / 1), "x");
  EXPECT_EQ(Simplified(x % 1), "0");
  EXPECT_EQ(Simplified(x * 0), "0");
  EXPECT_EQ(Simplified(x - x), "0");
}

TEST_F(ArithTest, GivesTheSamePointerWhenNothingChanges) {
  const E x = Variable("x");
  const E y = Variable("y");
  const Expr* sum = (x * 4 + y) + 3;
  EXPECT_EQ(analyzer_.Simplify(sum), sum);
}

TEST_F(ArithTest, CollectsTerms) {
  const E x = Variable("x");
  const E y = Variable("y");
  EXPECT_EQ(Simplified(x + y + x + 3 - y - 1), "((x * 2) + 2)");
  EXPECT_EQ(Simplified((x + y) * 3 - x * 3), "(y * 3)");
  EXPECT_EQ(Simplified(y - x), "(y - x)");
  EXPECT_EQ(Simplified(0 - x), "(x * -1)");
  EXPECT_EQ(Simplified(x * y - y * x), "0");
}

TEST_F(ArithTest, SumsAreExactThoughTheyWrap) {
  const E x = Variable("x", DataType::Int(8));
  EXPECT_EQ(Simplified(x + 100 + 100), "(x - 56)");
  EXPECT_EQ(Simplified(x * 16 * 16), "0");
}

TEST_F(ArithTest, KnowsTheLanesOfASlice) {
  const E start = Variable("start");
  EXPECT_EQ(analyzer_.ConstValue(((start + 4) - start + 1 - 1) / 1), 4);
  EXPECT_EQ(analyzer_.ConstValue(((start * 8 + 8) - start * 8 + 2 - 1) / 2), 4);
  EXPECT_TRUE(analyzer_.CanProveEqual(start + 4, 4 + start));
  EXPECT_FALSE(analyzer_.CanProveEqual(start + 4, start + 5));
}

TEST_F(ArithTest, KnowsStepsOfLoops) {
  const E i = Variable("i", 0, 99);
  const E j = Variable("j", 0, 3);
  const E x = Variable("x");
  const auto step = [&](const E& expr, const E& var) {
    return analyzer_.StepOf(expr, cast<Var>(static_cast<const Expr*>(var)));
  };
  EXPECT_EQ(step(x * x + i * 12 - (j + i) * 5, i), 7);
  EXPECT_EQ(step(x * x + i * 12 - (j + i) * 5, j), -5);
  EXPECT_EQ(step(i * 4, j), 0);
  EXPECT_EQ(step((i * 4 + j) / 4, i), 1);
  EXPECT_EQ(step((i * 4 + j) / 4, j), 0);
  EXPECT_EQ(step(i / 4 + i, i), std::nullopt);
  EXPECT_EQ(step(x * i, i), std::nullopt);
}

TEST_F(ArithTest, KnowsConstantDistances) {
  const E i = Variable("i", 0, 99);
  const E x = Variable("x");
  EXPECT_EQ(analyzer_.Distance(i * 4 + x * x + 3, x * x + 4 * (i + 2)), -5);
  EXPECT_EQ(analyzer_.Distance(i, x), std::nullopt);
}

TEST_F(ArithTest, DividesSums) {
  const E i = Variable("i", 0, 99);
  const E j = Variable("j", 0, 3);
  EXPECT_EQ(Simplified((i * 4 + j) / 4), "i");
  EXPECT_EQ(Simplified((i * 4 + j) % 4), "j");
  EXPECT_EQ(Simplified((i * 8 + j) / 4), "(i * 2)");
  EXPECT_EQ(Simplified((i + 8) / 4), "((i // 4) + 2)");
  EXPECT_EQ(Simplified((i * 6 + 4) / 4), "(((i * 3) // 2) + 1)");
  EXPECT_EQ(Simplified((i * 6) % 4), "((i % 2) * 2)");
  EXPECT_EQ(Simplified(i / 4 / 5), "(i // 20)");
  EXPECT_EQ(Simplified(i % 12 % 4), "(i % 4)");
  EXPECT_EQ(Simplified(i % 12 / 4), "((i // 4) % 3)");
  EXPECT_EQ(Simplified((i + 400) / 1000), "0");
}

TEST_F(ArithTest, LeavesDivisionsOfWhatMightWrap) {
  const E i = Variable("i");
  // 2^30 * 4 wraps to 0, and 0 // 4 is not 2^30.
  EXPECT_EQ(Simplified((i * 4) / 4), "((i * 4) // 4)");
  // Modulo a power of two, wrapping does not matter.
  EXPECT_EQ(Simplified((i * 4 + 5) % 4), "1");
  EXPECT_EQ(Simplified((i * 3 + 5) % 3), "(((i * 3) + 5) % 3)");
}

TEST_F(ArithTest, AssumesThatIndicesDoNotOverflowWhenTold) {
  Analyzer analyzer(context_, arena_, {.assume_index_no_overflow = true});
  const E i = Variable("i");
  const E n = Variable("n");
  EXPECT_EQ(Text(analyzer.Simplify((i * 4) / 4)), "i");
  EXPECT_EQ(Text(analyzer.Simplify(i + 1 < n + 1)), "(i < n)");
  EXPECT_TRUE(analyzer.CanProve(i < i + 1));
  const E small = Variable("s", DataType::Int(8));
  EXPECT_FALSE(analyzer.CanProve(small < small + 1)) << "values wrap";
}

TEST_F(ArithTest, PutsQuotientAndRemainderTogether) {
  const E i = Variable("i");
  const E n = Variable("n");
  EXPECT_EQ(Simplified(i / 4 * 4 + i % 4), "i");
  EXPECT_EQ(Simplified(i / n * n + i % n), "i");
  EXPECT_EQ(Simplified(i - i / 4 * 4), "(i % 4)");
  EXPECT_EQ(Simplified(i / 64 * 64 + i / 8 % 8 * 8 + i % 8), "i");
}

TEST_F(ArithTest, TruncatingDivisionOfWhatIsNotNegativeIsFloorDivision) {
  const E i = Variable("i", 0, 9);
  const E x = Variable("x");
  EXPECT_EQ(Simplified(builder_.New<Div>({}, i, Number(4))), "(i // 4)");
  EXPECT_EQ(Simplified(builder_.New<Mod>({}, i, Number(4))), "(i % 4)");
  EXPECT_EQ(Simplified(builder_.New<Div>({}, x, Number(4))), "(x / 4)");
}

TEST_F(ArithTest, DoesNotDivideByZero) {
  const E x = Variable("x");
  EXPECT_EQ(Simplified(x / 0), "(x // 0)");
  EXPECT_EQ(Simplified(Number(1) % 0), "(1 % 0)");
  EXPECT_EQ(Simplified(x / x), "(x // x)") << "x may be 0";
  EXPECT_EQ(Simplified(Variable("p", 1, 9) / 100), "0");
}

TEST_F(ArithTest, DecidesComparisonsByBounds) {
  const E i = Variable("i", 0, 7);
  const E n = Variable("n");
  EXPECT_EQ(Simplified(i < 8), "True");
  EXPECT_EQ(Simplified(i >= 8), "False");
  EXPECT_EQ(Simplified(i == 8), "False");
  EXPECT_EQ(Simplified(i <= 3), "(i < 4)");
  EXPECT_EQ(Simplified(5 < i), "(i >= 6)");
  EXPECT_EQ(Simplified(n == n), "True");
  EXPECT_EQ(Simplified(n + 1 == n + 3), "False");
  EXPECT_EQ(Simplified(n + 1 < n + 3), "((n + 1) < (n + 3))") << "n + 3 may wrap";
  EXPECT_EQ(Simplified(i + 1 < i + 3), "True");
  EXPECT_EQ(Simplified(i * 4 < 9), "(i < 3)");
  EXPECT_EQ(Simplified(i * 4 == 9), "False");
}

TEST_F(ArithTest, FoldsMinAndMax) {
  const E i = Variable("i", 0, 7);
  const E n = Variable("n");
  const auto min = [&](const Expr* a, const Expr* b) { return Wrap(builder_.New<Min>({}, a, b)); };
  const auto max = [&](const Expr* a, const Expr* b) { return Wrap(builder_.New<Max>({}, a, b)); };
  EXPECT_EQ(Simplified(min(i, Number(7))), "i");
  EXPECT_EQ(Simplified(max(i, Number(7))), "7");
  EXPECT_EQ(Simplified(min(i + 1, i + 3)), "(i + 1)");
  EXPECT_EQ(Simplified(min(min(n, Number(5)), Number(3))), "(n min 3)");
  EXPECT_EQ(Simplified(max(n, n)), "n");
}

TEST_F(ArithTest, KnowsBoolAlgebra) {
  const E p = Variable("p", DataType::Bool());
  const E i = Variable("i");
  const E truth = Wrap(builder_.Bool(true));
  EXPECT_EQ(Simplified(p && truth), "p");
  EXPECT_EQ(Simplified(p || truth), "True");
  EXPECT_EQ(Simplified(p && p), "p");
  EXPECT_EQ(Simplified(p && !p), "False");
  EXPECT_EQ(Simplified(p || !p), "True");
  EXPECT_EQ(Simplified(!!p), "p");
  EXPECT_EQ(Simplified(!(i < 4)), "(i >= 4)");
  EXPECT_EQ(Simplified(i < 4 && i < 5), "(i < 4)");
  EXPECT_EQ(Simplified(i < 4 && i >= 4), "False");
  EXPECT_EQ(Simplified(p == truth), "p");
}

TEST_F(ArithTest, ChoosesArms) {
  const E i = Variable("i", 0, 7);
  const E x = Variable("x");
  const E y = Variable("y");
  const auto choice = [&](const Expr* c, const Expr* a, const Expr* b) {
    return CallOf(kInt32, OpKind::kIfThenElse, {c, a, b});
  };
  EXPECT_EQ(Simplified(choice(i < 8, x, y)), "x");
  EXPECT_EQ(Simplified(choice(i > 8, x, y)), "y");
  EXPECT_EQ(Simplified(choice(x < 3, y + 0, y)), "y");
  EXPECT_EQ(Simplified(choice(i < 4, i / 4, Number(9))), "if_then_else((i < 4), 0, 9)");
  EXPECT_EQ(Simplified(builder_.New<Select>({}, i < 8, x, y)), "x");
  EXPECT_EQ(Simplified(builder_.New<Select>({}, !Variable("p", DataType::Bool()), x, y)),
            "Select(p, y, x)");
  EXPECT_EQ(Simplified(CallOf(DataType::Bool(), OpKind::kLikely, {i < 8})), "True");
  EXPECT_EQ(Simplified(CallOf(DataType::Bool(), OpKind::kLikely, {i < 7})), "likely((i < 7))");
}

TEST_F(ArithTest, MergesCasts) {
  const DataType i64 = DataType::Int(64);
  const E i = Variable("i", 0, 7);
  const E x = Variable("x");
  const auto cast = [&](DataType dtype, const Expr* e) {
    return Wrap(builder_.New<Cast>({}, dtype, e));
  };
  EXPECT_EQ(Simplified(cast(kInt32, cast(i64, x))), "x");
  EXPECT_EQ(Simplified(cast(i64, cast(DataType::Int(8), i))), "int64(i)");
  EXPECT_EQ(Simplified(cast(i64, cast(DataType::Int(8), x))), "int64(int8(x))");
  EXPECT_EQ(Simplified(cast(DataType::Int(8), Number(200))), "-56");
  EXPECT_EQ(Simplified(cast(kInt32, builder_.Number(DataType::Float(32), 1e20))), "2147483647");
  EXPECT_EQ(Simplified(cast(kInt32, builder_.Number(DataType::Float(64), 0.0 / 0.0))), "0");
}

TEST_F(ArithTest, LeavesFloatsThatMayNotBeFolded) {
  const DataType f32 = DataType::Float(32);
  const E x = Variable("x", f32);
  const E one = Wrap(builder_.Number(f32, 1));
  const E zero = Wrap(builder_.Number(f32, 0));
  EXPECT_EQ(Simplified(x * one), "x");
  EXPECT_EQ(Simplified(x - zero), "x");
  EXPECT_EQ(Simplified(x + zero), "(x + 0f)") << "-0.0 + 0.0 is 0.0";
  EXPECT_EQ(Simplified(x * zero), "(x * 0f)") << "not for infinities";
  EXPECT_EQ(Simplified(x == x), "(x == x)") << "not for NaN";
  EXPECT_EQ(Simplified(!(x < one)), "Not((x < 1f))");
  EXPECT_EQ(Simplified(one + one), "2f");
}

TEST_F(ArithTest, KeepsCallsWithEffects) {
  const E call = CallOf(kInt32, OpKind::kCallExtern, {builder_.String("f"), Number(2) * 3});
  EXPECT_EQ(Simplified(call * 0), "(call_extern(StringImm(), 6) * 0)");
  EXPECT_EQ(Simplified(call - call), "(call_extern(StringImm(), 6) - call_extern(StringImm(), 6))");
}

TEST_F(ArithTest, FoldsLets) {
  const E v = Variable("v");
  const E x = Variable("x");
  EXPECT_EQ(Simplified(builder_.New<Let>({}, AsVar(v), Number(4), v * 2 + x)), "(x + 8)");
  EXPECT_EQ(Simplified(builder_.New<Let>({}, AsVar(v), x, x * 2)), "(x * 2)");
  EXPECT_EQ(Simplified(builder_.New<Let>({}, AsVar(v), x % 4, v / 4 + v)), "Let((x % 4), v, v)");
}

}  // namespace
}  // namespace tenon
