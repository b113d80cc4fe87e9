#include "ir/const_fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tenon {
namespace {

class ConstFoldTest : public testing::Test {
 protected:
  const Expr* Fold(NodeKind kind, const Expr* a, const Expr* c) {
    return TryConstFold(b, kind, a, c);
  }
  int64_t FoldInt(NodeKind kind, DataType dtype, int64_t x, int64_t y) {
    const Expr* folded = Fold(kind, b.Int(dtype, x), b.Int(dtype, y));
    return folded == nullptr ? INT64_MIN : *AsIntImm(folded);
  }

  Context context;
  Arena arena;
  NodeBuilder b{context, arena};
  const Var* x = b.NewVar("x", DataType::Int(32));
};

TEST_F(ConstFoldTest, IntegersWrapAtTheirDType) {
  EXPECT_EQ(FoldInt(NodeKind::kAdd, DataType::Int(8), 127, 1), -128);
  EXPECT_EQ(FoldInt(NodeKind::kMul, DataType::UInt(8), 200, 2), 144);
  EXPECT_EQ(FoldInt(NodeKind::kSub, DataType::UInt(32), 0, 1), 0xffffffff);
  EXPECT_EQ(FoldInt(NodeKind::kDiv, DataType::Int(64), INT64_MIN, -1), INT64_MIN);
}

TEST_F(ConstFoldTest, DivisionsRoundByKind) {
  const DataType i32 = DataType::Int(32);
  EXPECT_EQ(FoldInt(NodeKind::kDiv, i32, -7, 2), -3);
  EXPECT_EQ(FoldInt(NodeKind::kMod, i32, -7, 2), -1);
  EXPECT_EQ(FoldInt(NodeKind::kFloorDiv, i32, -7, 2), -4);
  EXPECT_EQ(FoldInt(NodeKind::kFloorMod, i32, -7, 2), 1);
  EXPECT_EQ(FoldInt(NodeKind::kFloorMod, i32, 7, -2), -1);
  EXPECT_EQ(Fold(NodeKind::kDiv, b.Int(1), b.Int(0)), nullptr);
}

TEST_F(ConstFoldTest, IdentitiesGiveTheOperand) {
  EXPECT_EQ(Fold(NodeKind::kAdd, x, b.Int(0)), x);
  EXPECT_EQ(Fold(NodeKind::kMul, b.Int(1), x), x);
  EXPECT_EQ(Fold(NodeKind::kFloorDiv, x, b.Int(1)), x);
  EXPECT_EQ(Fold(NodeKind::kMin, x, x), x);
  EXPECT_TRUE(IsConstInt(Fold(NodeKind::kMul, x, b.Int(0)), 0));
  EXPECT_EQ(Fold(NodeKind::kSub, x, x), nullptr);
  EXPECT_EQ(Fold(NodeKind::kSub, b.Int(0), x), nullptr);
}

TEST_F(ConstFoldTest, LogicalConstantsDecide) {
  const Var* p = b.NewVar("p", DataType::Bool());
  EXPECT_EQ(Fold(NodeKind::kAnd, b.Bool(true), p), p);
  EXPECT_TRUE(IsConstInt(Fold(NodeKind::kOr, p, b.Bool(true)), 1));
}

TEST_F(ConstFoldTest, ComparisonsAndLimitsFollowTheDType) {
  const auto check = [&](const Expr* p, const Expr* q, auto v, auto w) {
    const std::pair<NodeKind, bool> comparisons[] = {
        {NodeKind::kEQ, v == w}, {NodeKind::kNE, v != w}, {NodeKind::kLT, v < w},
        {NodeKind::kLE, v <= w}, {NodeKind::kGT, v > w},  {NodeKind::kGE, v >= w}};
    for (const auto& [kind, holds] : comparisons) {
      const Expr* folded = Fold(kind, p, q);
      ASSERT_NE(folded, nullptr);
      EXPECT_TRUE(folded->dtype.is_bool());
      EXPECT_TRUE(IsConstInt(folded, holds ? 1 : 0)) << v << " " << w;
    }
    const auto number = [](const Expr* expr) {
      if (const auto* real = dyn_cast<FloatImm>(expr)) return static_cast<decltype(v)>(real->value);
      return static_cast<decltype(v)>(cast<IntImm>(expr)->value);
    };
    EXPECT_EQ(number(Fold(NodeKind::kMin, p, q)), std::min(v, w));
    EXPECT_EQ(number(Fold(NodeKind::kMax, p, q)), std::max(v, w));
  };
  for (const int64_t v : {-3, 0, 5}) {
    for (const int64_t w : {-3, 0, 5}) {
      check(b.Int(DataType::Int(32), v), b.Int(DataType::Int(32), w), v, w);
      // Numbers below 0 stand for the numbers of 64 bits from 2^63 on.
      check(b.Int(DataType::UInt(64), v), b.Int(DataType::UInt(64), w), static_cast<uint64_t>(v),
            static_cast<uint64_t>(w));
      const auto real = [&](int64_t number) {
        return b.Number(DataType::Float(32), static_cast<double>(number));
      };
      check(real(v), real(w), static_cast<double>(v), static_cast<double>(w));
    }
  }
}

TEST_F(ConstFoldTest, UnsignedNumbersDivideAsUnsigned) {
  const DataType u64 = DataType::UInt(64);
  EXPECT_EQ(FoldInt(NodeKind::kDiv, u64, -1, 2), INT64_MAX);
  EXPECT_EQ(FoldInt(NodeKind::kFloorDiv, u64, -1, 2), INT64_MAX);
  const auto real = [&](double number) { return b.Number(DataType::Float(32), number); };
  EXPECT_EQ(cast<FloatImm>(Fold(NodeKind::kDiv, real(-7), real(2)))->value, -3.5);
  EXPECT_EQ(cast<FloatImm>(Fold(NodeKind::kFloorDiv, real(-7), real(2)))->value, -4);
}

TEST_F(ConstFoldTest, FloatsRoundToTheirDType) {
  const Expr* sum =
      Fold(NodeKind::kAdd, b.Number(DataType::Float(32), 0.1), b.Number(DataType::Float(32), 0.2));
  EXPECT_EQ(cast<FloatImm>(sum)->value, static_cast<double>(static_cast<float>(0.1 + 0.2)));
  EXPECT_EQ(
      Fold(NodeKind::kAdd, b.Number(DataType::Float(16), 1), b.Number(DataType::Float(16), 2)),
      nullptr);
}

TEST_F(ConstFoldTest, PromotionFollowsTheTable) {
  struct Row {
    DataType a, b, common;
  };
  const Row rows[] = {
      {DataType::Int(8), DataType::Int(32), DataType::Int(32)},
      {DataType::Int(32), DataType::UInt(32), DataType::UInt(32)},
      {DataType::Int(64), DataType::UInt(32), DataType::Int(64)},
      {DataType::Int(64), DataType::Float(16), DataType::Float(16)},
      {DataType::Float(32), DataType::Float(64), DataType::Float(64)},
      {DataType::Bool(), DataType::Int(32), DataType::Int(32)},
      {DataType::Float(32), DataType::Float(32, 4), DataType::Float(32, 4)},
  };
  for (const Row& row : rows) {
    const Expr* left = b.NewVar("l", row.a);
    const Expr* right = b.NewVar("r", row.b);
    EXPECT_FALSE(MatchTypes(b, &left, &right).has_value());
    EXPECT_EQ(left->dtype, row.common);
    EXPECT_EQ(right->dtype, row.common);
  }
  const Expr* left = b.NewVar("l", DataType::Int(32, 2));
  const Expr* right = b.NewVar("r", DataType::Int(32, 4));
  EXPECT_TRUE(MatchTypes(b, &left, &right).has_value());
}

TEST_F(ConstFoldTest, CastsOfImmediatesConvert) {
  EXPECT_TRUE(IsConstInt(SmartCast(b, DataType::UInt(8), b.Int(-1)), 255));
  EXPECT_EQ(SmartCast(b, DataType::Int(32), x), x);
  EXPECT_TRUE(isa<Cast>(SmartCast(b, DataType::Float(32), x)));
  const Expr* vector = SmartCast(b, DataType::Int(64, 4), b.Int(3));
  EXPECT_TRUE(isa<Broadcast>(vector));
  EXPECT_EQ(vector->dtype, DataType::Int(64, 4));
}

TEST_F(ConstFoldTest, CastsOfFloatImmediatesAreThoseOfTheirNumbers) {
  const auto cast = [&](DataType to, DataType from, double value) {
    return SmartCast(b, to, b.New<FloatImm>({}, from, value));
  };
  const DataType f16 = DataType::Float(16);
  const DataType f64 = DataType::Float(64);
  EXPECT_TRUE(IsConstInt(cast(DataType::Int(8), f64, -2.75), -2));
  EXPECT_TRUE(IsConstInt(cast(DataType::Int(8), f64, -128.5), -128));
  EXPECT_TRUE(IsConstInt(cast(DataType::UInt(8), f64, 255.5), 255));
  EXPECT_TRUE(IsConstInt(cast(DataType::Int(32), f16, 2048), 2048));
  EXPECT_TRUE(IsConstInt(cast(DataType::Int(64), f64, -9223372036854775808.0), INT64_MIN));
  EXPECT_TRUE(IsConstInt(cast(DataType::Bool(), f64, 0.5), 1));
  EXPECT_TRUE(IsConstInt(cast(DataType::Bool(), f64, 2), 1));
  EXPECT_TRUE(IsConstInt(cast(DataType::Bool(), f64, -0.0), 0));
  EXPECT_TRUE(IsConstInt(cast(DataType::Bool(), f64, std::nan("")), 1));
  // Values that saturate, and values that are rounded to their dtype first.
  EXPECT_TRUE(isa<Cast>(cast(DataType::Int(8), f64, 300)));
  EXPECT_TRUE(isa<Cast>(cast(DataType::UInt(8), f64, -1)));
  EXPECT_TRUE(isa<Cast>(cast(DataType::Int(32), f64, std::nan(""))));
  EXPECT_TRUE(isa<Cast>(cast(DataType::Int(64), f64, 9223372036854775808.0)));
  EXPECT_TRUE(isa<Cast>(cast(DataType::Int(32), f16, 2049)));
  EXPECT_TRUE(isa<Cast>(cast(DataType::Int(32), DataType::Float(32), 0.99999999999)));
  EXPECT_TRUE(isa<Cast>(cast(DataType::Bool(), DataType::Float(32), 1e-60)));
}

}  // namespace
}  // namespace tenon
