#include "arith/analyzer.h"

#include "tests/unit/arith/arith_test_util.h"

namespace tenon {
namespace {

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

TEST_F(ArithTest, KnowsTheLanesOfASlice) {
  const E start = Variable("start");
  EXPECT_EQ(analyzer_.ConstValue(((start + 4) - start + 1 - 1) / 1), 4);
  EXPECT_EQ(analyzer_.ConstValue(((start * 8 + 8) - start * 8 + 2 - 1) / 2), 4);
  EXPECT_TRUE(analyzer_.CanProveEqual(start + 4, 4 + start));
  EXPECT_FALSE(analyzer_.CanProveEqual(start + 4, start + 5));
}

}  // namespace
}  // namespace tenon
