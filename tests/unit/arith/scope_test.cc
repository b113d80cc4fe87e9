#include <gtest/gtest.h>

#include <ctime>

#include "arith/eval.h"
#include "ir/builtins.h"
#include "tests/unit/arith/arith_test_util.h"

// Loop ranges, assumptions, proofs, vectors and size.

namespace tenon {
namespace {

TEST_F(ArithTest, LoopRangesHoldInTheirScope) {
  const E i = Variable("i");
  const E n = Variable("n");
  {
    const Analyzer::Scope scope(analyzer_);
    analyzer_.BindRange(AsVar(i), Number(0), n);
    EXPECT_TRUE(analyzer_.CanProve(i < n));
    EXPECT_TRUE(analyzer_.CanProve(i >= 0));
    EXPECT_TRUE(analyzer_.CanProve(i / n == 0));
    EXPECT_EQ(Simplified(i % n), "i");
    EXPECT_FALSE(analyzer_.CanProve(i < n - 1));
    const E j = Variable("j");
    const Analyzer::Scope inner(analyzer_);
    analyzer_.BindRange(AsVar(j), i, Number(4));
    EXPECT_FALSE(analyzer_.CanProve(j >= i)) << "i + 4 may wrap";
  }
  EXPECT_FALSE(analyzer_.CanProve(i < n));
}

TEST_F(ArithTest, UnitLoopsGiveTheirVariableAValue) {
  const E i = Variable("i");
  analyzer_.BindRange(AsVar(i), Number(5), Number(1));
  EXPECT_EQ(analyzer_.ConstValue(i * 2), 10);
}

TEST_F(ArithTest, IndicesOfTiledLoopsStayInside) {
  const E i = Variable("i", 0, 15);
  const E j = Variable("j", 0, 3);
  const E n = Variable("n", 1, 1000);
  EXPECT_EQ(analyzer_.Bounds(i * 4 + j), (Interval{0, 63}));
  EXPECT_TRUE(analyzer_.CanProve(i * 4 + j < 64));
  const Analyzer::Scope scope(analyzer_);
  analyzer_.Assume(i < n);
  EXPECT_TRUE(analyzer_.CanProve(i * 4 + j < n * 4));
  EXPECT_FALSE(analyzer_.CanProve(i * 4 + j + 1 < n * 4));
}

TEST_F(ArithTest, AssumptionsNarrow) {
  const E i = Variable("i");
  const E n = Variable("n");
  analyzer_.Assume(i >= 0 && i < 10 && !(i == 9));
  EXPECT_EQ(analyzer_.Bounds(i), (Interval{0, 8}));
  analyzer_.Assume(n > i);
  EXPECT_TRUE(analyzer_.CanProveLess(i, n));
  EXPECT_TRUE(analyzer_.CanProve(n > 0));
}

TEST_F(ArithTest, ProvesThatArithmeticDoesNotWrap) {
  const E i = Variable("i", 0, 1000);
  const E x = Variable("x");
  const auto proven = [&](const E& e) {
    return analyzer_.ProvenNoWrap(static_cast<const BinaryExpr*>(e.expr));
  };
  EXPECT_TRUE(proven(i * 1000));
  EXPECT_FALSE(proven(i * 10000000));
  EXPECT_FALSE(proven(x + 1));
  EXPECT_TRUE(proven(x / 2));
  EXPECT_FALSE(proven(x / -1));
  EXPECT_TRUE(proven(x % 4 + 1));
  EXPECT_FALSE(proven(Variable("u", 0, 9, DataType::UInt(32)) - 1));
}

TEST_F(ArithTest, AddsVectors) {
  const E x = Variable("x", 0, 100);
  const E y = Variable("y");
  const auto ramp = [&](const Expr* base, int64_t stride) {
    return Wrap(builder_.New<Ramp>({}, base, Number(stride), 4));
  };
  const auto broadcast = [&](const Expr* e) { return Wrap(builder_.New<Broadcast>({}, e, 4)); };
  EXPECT_EQ(Simplified(ramp(x, 1) + broadcast(y)), "Rampx4((x + y), 1)");
  EXPECT_EQ(Simplified(ramp(x, 1) * broadcast(Number(4))), "Rampx4((x * 4), 4)");
  EXPECT_EQ(Simplified(ramp(x, 1) - ramp(y, 1)), "Broadcastx4((x - y))");
  EXPECT_EQ(Simplified(ramp(x, 0)), "Broadcastx4(x)");
  EXPECT_EQ(Simplified(broadcast(x) * broadcast(y)), "Broadcastx4((x * y))");
  EXPECT_EQ(Simplified(ramp(x * 4, 1) / broadcast(Number(4))), "Broadcastx4(x)");
  EXPECT_EQ(Simplified(ramp(x * 4, 1) % broadcast(Number(4))), "Rampx4(0, 1)");
  EXPECT_EQ(Simplified(ramp(x, 4) / broadcast(Number(4))), "Rampx4((x // 4), 1)");
  EXPECT_TRUE(analyzer_.CanProve(ramp(x, 1) < broadcast(Number(104))));
  EXPECT_EQ(analyzer_.ConstValue(broadcast(Number(3)) + broadcast(Number(4))), 7);
}

TEST_F(ArithTest, VectorsKeepTheirLanes) {
  const E x = Variable("x", 0, 6);
  const E y = Variable("y", -2, 2);
  const auto divisor = [&](int64_t d) { return builder_.New<Broadcast>({}, Number(d), 4); };
  for (int64_t stride = -3; stride <= 4; ++stride) {
    for (int64_t d = 1; d <= 6; ++d) {
      const E ramp = Wrap(builder_.New<Ramp>({}, x * 2 + y, Number(stride), 4));
      const E all = Wrap(builder_.New<FloorDiv>({}, ramp, divisor(d))) * ramp +
                    Wrap(builder_.New<FloorMod>({}, ramp + ramp, divisor(d)));
      const Expr* now = analyzer_.Simplify(all);
      for (int64_t a = 0; a <= 6; ++a) {
        for (int64_t b = -2; b <= 2; ++b) {
          const VarValues values = {{AsVar(x), ScalarValue::Int(DataType::Int(32), a)},
                                    {AsVar(y), ScalarValue::Int(DataType::Int(32), b)}};
          for (int lane = 0; lane < 4; ++lane) {
            ASSERT_EQ(EvaluateExpr(now, values, lane)->integer,
                      EvaluateExpr(all, values, lane)->integer)
                << Text(all) << " -> " << Text(now);
          }
        }
      }
    }
  }
}

TEST_F(ArithTest, SumsOfManyTermsTakeLinearTime) {
  const int terms = Sample(100000, 5);
  std::vector<E> vars;
  for (int i = 0; i < 1000; ++i) vars.push_back(Variable(fmt::format("v{}", i).c_str()));
  E left = vars[0];
  E right = vars[999];
  for (int i = 1; i < terms; ++i) left = left + vars[static_cast<size_t>(i) % 1000];
  for (int i = 1; i < terms; ++i) {
    right = vars[static_cast<size_t>(999 - i % 1000)] + right;
  }
  // CPU time, since the machine may have other load.
  const std::clock_t begin = std::clock();
  EXPECT_TRUE(analyzer_.CanProveEqual(left, right));
  EXPECT_EQ(Simplified(left - right), "0");
  E distinct = Variable("w");
  for (int i = 0; i < terms; ++i) distinct = distinct + Variable("w") * 2;
  const Expr* simplified = analyzer_.Simplify(distinct);
  EXPECT_EQ(analyzer_.Simplify(simplified), simplified);
  const auto seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, kPatience * Sample(20, 4)) << "a quadratic algorithm takes minutes";
}

TEST_F(ArithTest, DeepChainsOfEveryKindEnd) {
  const int depth = Sample(20000, 10);
  const E x = Variable("x");
  E product = x;
  E minimum = x;
  E choice = x;
  E condition = x < 0;
  E let = x;
  E quotient = x;
  for (int i = 1; i < depth; ++i) {
    const E y = Variable("y");
    product = product * y;
    minimum = Wrap(builder_.New<Min>({}, minimum, y));
    choice = CallOf(DataType::Int(32), OpKind::kIfThenElse, {y < i, y, choice});
    condition = condition && y < i;
    let = Wrap(builder_.New<Let>({}, AsVar(y), y + 1, let + y));
    quotient = quotient / y;
  }
  for (const E& e : {product, minimum, choice, condition, let, quotient}) {
    const Expr* now = analyzer_.Simplify(e);
    Analyzer fresh(context_, arena_);
    EXPECT_EQ(fresh.Simplify(now), now);
  }
}

}  // namespace
}  // namespace tenon
