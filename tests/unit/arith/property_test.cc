#include <gtest/gtest.h>

#include <random>

#include "arith/eval.h"
#include "ir/builtins.h"
#include "tests/unit/arith/arith_test_util.h"
#include "tests/unit/arith/random_expr.h"

// Properties of every expression, checked on random expressions for all values of their variables.

namespace tenon {
namespace {

/// A family of random expressions: a dtype, the ranges of its variables, and the dtypes of casts.
struct Family {
  const char* name;
  DataType dtype;
  /// min and max of the three variables.
  int64_t ranges[3][2];
  std::vector<DataType> others;
};

std::vector<Family> Families() {
  const DataType i8 = DataType::Int(8);
  const DataType u8 = DataType::UInt(8);
  const DataType i16 = DataType::Int(16);
  const DataType i32 = DataType::Int(32);
  const DataType u32 = DataType::UInt(32);
  const DataType i64 = DataType::Int(64);
  const int64_t i32_min = INT32_MIN;
  return {
      {"int32", i32, {{0, 7}, {-3, 4}, {2, 9}}, {i64, i16, DataType::Bool()}},
      {"int32_edges",
       i32,
       {{INT32_MAX - 6, INT32_MAX}, {i32_min, i32_min + 6}, {-2, 3}},
       {i64, u32}},
      {"int64", i64, {{0, 7}, {-3, 4}, {5, 6}}, {i32, u8}},
      {"int64_edges", i64, {{INT64_MAX - 6, INT64_MAX}, {INT64_MIN, INT64_MIN + 6}, {0, 3}}, {i32}},
      {"int8", i8, {{-128, 127}, {-3, 4}, {120, 127}}, {i16, u8}},
      {"uint8", u8, {{0, 255}, {0, 3}, {200, 208}}, {i8, i32}},
      {"uint32", u32, {{0, 7}, {4, 9}, {0, 3}}, {i64, u8, i32}},
      {"uint64", DataType::UInt(64), {{0, 7}, {4, 9}, {0, 3}}, {i64, u8, i32}},
  };
}

class PropertyTest : public testing::TestWithParam<Family> {
 protected:
  void SetUp() override {
    const Family& family = GetParam();
    static constexpr const char* kNames[] = {"x", "y", "z"};
    for (int i = 0; i < 3; ++i) vars_.push_back(builder_.NewVar(kNames[i], family.dtype));
  }

  void BindAll(Analyzer& analyzer) {
    for (size_t i = 0; i < 3; ++i) {
      analyzer.Bind(vars_[i], {GetParam().ranges[i][0], GetParam().ranges[i][1]});
    }
  }

  /// Calls `f(values)` for all values of the variables, or for samples if there are too many.
  template <class F>
  void ForAssignments(RandomExpr& random, F&& f) {
    const auto& ranges = GetParam().ranges;
    VarValues values;
    const auto set = [&](size_t i, int64_t offset) {
      values[vars_[i]] = ScalarValue::Int(GetParam().dtype, ranges[i][0] + offset);
    };
    const auto size = [&](size_t i) {
      return static_cast<uint32_t>(ranges[i][1] - ranges[i][0] + 1);
    };
    const uint64_t all = static_cast<uint64_t>(size(0)) * size(1) * size(2);
    for (uint64_t n = 0; n < (all > 600 ? 200 : all); ++n) {
      const uint64_t pick = all > 600 ? random.Below(1u << 30) % all : n;
      set(0, static_cast<int64_t>(pick % size(0)));
      set(1, static_cast<int64_t>(pick / size(0) % size(1)));
      set(2, static_cast<int64_t>(pick / size(0) / size(1)));
      f(values);
    }
  }

  static std::string Where(const VarValues& values) {
    std::string text;
    for (const auto& [var, value] : values) {
      text += fmt::format(" {}={}", var->name.view(), value.integer);
    }
    return text;
  }

  Context context_;
  Arena arena_;
  NodeBuilder builder_{context_, arena_};
  std::vector<const Var*> vars_;
};

bool InBounds(const Interval& bounds, const ScalarValue& value) {
  if (value.dtype.is_uint() && value.integer < 0) return !bounds.has_max();
  return bounds.Contains(value.integer);
}

TEST_P(PropertyTest, SimplifyKeepsValuesAndBoundsHoldThem) {
  RandomExpr random(builder_, vars_, GetParam().others, 1);
  for (int n = 0; n < Sample(3000, 8); ++n) {
    const Expr* expr = random.Integer(2 + n % 4);
    Analyzer analyzer(context_, arena_);
    BindAll(analyzer);
    const Interval raw_bounds = analyzer.Bounds(expr);
    const Expr* simplified = analyzer.Simplify(expr);
    ASSERT_EQ(simplified->dtype, expr->dtype);
    ForAssignments(random, [&](const VarValues& values) {
      const std::optional<ScalarValue> want = EvaluateExpr(expr, values);
      if (!want.has_value()) return;
      const std::optional<ScalarValue> got = EvaluateExpr(simplified, values);
      ASSERT_TRUE(got.has_value()) << Text(expr) << " -> " << Text(simplified) << Where(values);
      ASSERT_EQ(got->integer, want->integer)
          << Text(expr) << " -> " << Text(simplified) << Where(values);
      ASSERT_TRUE(InBounds(raw_bounds, *want)) << Text(expr) << " not in [" << raw_bounds.min
                                               << ", " << raw_bounds.max << "]" << Where(values);
    });
    if (HasFatalFailure()) return;
    Analyzer fresh(context_, arena_);
    BindAll(fresh);
    ASSERT_EQ(fresh.Simplify(simplified), simplified)
        << Text(expr) << "\n -> " << Text(simplified) << "\n -> "
        << Text(fresh.Simplify(simplified));
  }
}

TEST_P(PropertyTest, SimplifyKeepsEveryLane) {
  constexpr int kLanes = 4;
  RandomExpr random(builder_, vars_, GetParam().others, 5, kLanes);
  for (int n = 0; n < Sample(1000, 8); ++n) {
    const Expr* expr = random.Integer(1 + n % 4);
    Analyzer analyzer(context_, arena_);
    BindAll(analyzer);
    const Expr* simplified = analyzer.Simplify(expr);
    ASSERT_EQ(simplified->dtype, expr->dtype);
    ForAssignments(random, [&](const VarValues& values) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const std::optional<ScalarValue> want = EvaluateExpr(expr, values, lane);
        if (!want.has_value()) continue;
        const std::optional<ScalarValue> got = EvaluateExpr(simplified, values, lane);
        ASSERT_TRUE(got.has_value()) << Text(expr) << " -> " << Text(simplified) << Where(values);
        ASSERT_EQ(got->integer, want->integer) << "lane " << lane << " of " << Text(expr) << " -> "
                                               << Text(simplified) << Where(values);
      }
    });
    if (HasFatalFailure()) return;
  }
}

TEST_P(PropertyTest, ConditionsKeepTheirTruth) {
  RandomExpr random(builder_, vars_, GetParam().others, 2);
  int proven = 0;
  for (int n = 0; n < Sample(3000, 8); ++n) {
    const Expr* condition = random.Condition(2 + n % 3);
    Analyzer analyzer(context_, arena_);
    BindAll(analyzer);
    const bool claimed = analyzer.CanProve(condition);
    proven += claimed ? 1 : 0;
    const Expr* simplified = analyzer.Simplify(condition);
    ForAssignments(random, [&](const VarValues& values) {
      const std::optional<ScalarValue> want = EvaluateExpr(condition, values);
      if (!want.has_value()) return;
      ASSERT_TRUE(!claimed || want->integer == 1) << Text(condition) << Where(values);
      const std::optional<ScalarValue> got = EvaluateExpr(simplified, values);
      ASSERT_TRUE(got.has_value() && got->integer == want->integer)
          << Text(condition) << " -> " << Text(simplified) << Where(values);
    });
    if (HasFatalFailure()) return;
    Analyzer fresh(context_, arena_);
    BindAll(fresh);
    ASSERT_EQ(fresh.Simplify(simplified), simplified)
        << Text(condition) << "\n -> " << Text(simplified) << "\n -> "
        << Text(fresh.Simplify(simplified));
  }
  EXPECT_GT(proven, Sample(100, 8));
}

TEST_P(PropertyTest, AssumptionsHoldWhereTheirConditionDoes) {
  RandomExpr random(builder_, vars_, GetParam().others, 3);
  for (int n = 0; n < Sample(2000, 8); ++n) {
    const Expr* condition = random.Condition(2);
    const Expr* other = random.Condition(2);
    const Expr* expr = random.Integer(3);
    Analyzer analyzer(context_, arena_);
    BindAll(analyzer);
    const Expr* simplified = nullptr;
    Interval bounds;
    {
      const Analyzer::Scope scope(analyzer);
      analyzer.Assume(condition);
      analyzer.Assume(other);
      simplified = analyzer.Simplify(expr);
      bounds = analyzer.Bounds(expr);
    }
    const Expr* outside = analyzer.Simplify(expr);
    ForAssignments(random, [&](const VarValues& values) {
      const std::optional<ScalarValue> want = EvaluateExpr(expr, values);
      if (!want.has_value()) return;
      const std::optional<ScalarValue> after = EvaluateExpr(outside, values);
      ASSERT_TRUE(after.has_value() && after->integer == want->integer)
          << Text(expr) << " -> " << Text(outside) << Where(values);
      const std::optional<ScalarValue> first = EvaluateExpr(condition, values);
      const std::optional<ScalarValue> second = EvaluateExpr(other, values);
      if (!first.has_value() || !second.has_value()) return;
      if (first->integer == 0 || second->integer == 0) return;
      const std::optional<ScalarValue> got = EvaluateExpr(simplified, values);
      ASSERT_TRUE(got.has_value() && got->integer == want->integer)
          << Text(condition) << ", " << Text(other) << ": " << Text(expr) << " -> "
          << Text(simplified) << Where(values);
      ASSERT_TRUE(InBounds(bounds, *want))
          << Text(condition) << ", " << Text(other) << ": " << Text(expr) << " not in ["
          << bounds.min << ", " << bounds.max << "]" << Where(values);
    });
    if (HasFatalFailure()) return;
  }
}

/// The exact value of an operation on int64 values, in 128 bits.
__int128 Exactly(NodeKind kind, int64_t a, int64_t b) {
  const __int128 x = a;
  const __int128 y = b;
  return kind == NodeKind::kAdd ? x + y : kind == NodeKind::kSub ? x - y : x * y;
}

TEST_P(PropertyTest, ProvenNoWrapIsTrue) {
  const DataType dtype = GetParam().dtype;
  if (dtype.is_uint() && dtype.bits() == 64) GTEST_SKIP() << "exact values need a sign bit more";
  RandomExpr random(builder_, vars_, GetParam().others, 4);
  int proven = 0;
  for (int n = 0; n < Sample(3000, 8); ++n) {
    const Expr* a = random.Integer(n % 3);
    const Expr* b = random.Integer(n % 3);
    const Expr* exprs[] = {builder_.New<Add>({}, a, b), builder_.New<Sub>({}, a, b),
                           builder_.New<Mul>({}, a, b)};
    for (const Expr* expr : exprs) {
      Analyzer analyzer(context_, arena_);
      BindAll(analyzer);
      if (!analyzer.ProvenNoWrap(static_cast<const BinaryExpr*>(expr))) continue;
      ++proven;
      ForAssignments(random, [&](const VarValues& values) {
        const std::optional<ScalarValue> x = EvaluateExpr(a, values);
        const std::optional<ScalarValue> y = EvaluateExpr(b, values);
        if (!x.has_value() || !y.has_value()) return;
        const ScalarValue wrapped = *EvaluateExpr(expr, values);
        ASSERT_TRUE(Exactly(expr->kind, x->integer, y->integer) == wrapped.integer)
            << Text(expr) << Where(values);
      });
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(proven, Sample(300, 8));
}

/// An expression of q_multiply_shift or q_multiply_shift_per_axis, and the ranges of its variables.
struct QMultiply {
  const Expr* expr = nullptr;
  std::vector<const Var*> vars;
  std::vector<Interval> values;
};

QMultiply MakeQMultiply(NodeBuilder& builder, std::mt19937& random) {
  const auto between = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  QMultiply made;
  // A constant, or a variable with a few values.
  const auto operand = [&](int64_t low, int64_t high, int64_t most) -> const Expr* {
    const int64_t first = between(low, high);
    if (random() % 2 == 0) return builder.Int(first);
    made.vars.push_back(builder.NewVar("v", DataType::Int(32)));
    made.values.push_back({first, std::min(high, first + between(0, most))});
    return made.vars.back();
  };
  const int64_t wide = random() % 4 == 0 ? INT32_MAX : 1000;
  const Expr* x = operand(-wide, wide, wide / 2);
  const int64_t half = int64_t{1} << 30;
  const Expr* y = random() % 3 == 0 ? operand(half - 1, half + 1, 2)
                                    : operand(-INT32_MAX, INT32_MAX, INT32_MAX / 4);
  if (random() % 2 == 0) {
    const Expr* s = operand(-40, 34, 3);
    made.expr =
        builder.NewCall(DataType::Int(32), OpKind::kQMultiplyShift, {x, y, builder.Int(31), s});
    return made;
  }
  made.expr =
      builder.NewCall(DataType::Int(32), OpKind::kQMultiplyShiftPerAxis,
                      {x, y, operand(0, 33, 2), operand(0, 40, 4), builder.Int(between(0, 31)),
                       builder.Bool(random() % 2 == 0), builder.Bool(true)});
  return made;
}

TEST(QMultiplyShift, BoundsHoldAllValues) {
  Context context;
  Arena arena;
  NodeBuilder builder(context, arena);
  std::mt19937 random(3);
  int bounded = 0;
  for (int n = 0; n < 4000; ++n) {
    const QMultiply made = MakeQMultiply(builder, random);
    Analyzer analyzer(context, arena);
    for (size_t i = 0; i < made.vars.size(); ++i) analyzer.Bind(made.vars[i], made.values[i]);
    const Interval bounds = analyzer.Bounds(made.expr);
    bounded += bounds.min > INT32_MIN || bounds.max < INT32_MAX ? 1 : 0;
    for (int sample = 0; sample < 60; ++sample) {
      VarValues values;
      for (size_t i = 0; i < made.vars.size(); ++i) {
        const Interval& range = made.values[i];
        const int64_t spread = range.max - range.min + 1;
        // Both ends, and values between them.
        const int64_t value = random() % 2 == 0
                                  ? (random() % 2 == 0 ? range.min : range.max)
                                  : range.min + static_cast<int64_t>(random()) % spread;
        values[made.vars[i]] = ScalarValue::Int(DataType::Int(32), value);
      }
      const std::optional<ScalarValue> value = EvaluateExpr(made.expr, values);
      if (!value.has_value()) continue;
      ASSERT_TRUE(bounds.Contains(value->integer))
          << Text(made.expr) << " = " << value->integer << " is not in [" << bounds.min << ", "
          << bounds.max << "]";
    }
  }
  EXPECT_GT(bounded, 1500);
}

// Bounds of a product, computed by hand: 127 * 0.75 is 95.25, -128 * 0.75 is -96.
TEST(Shifts, AmountsThatCannotBeHaveNoBounds) {
  Context context;
  Arena arena;
  NodeBuilder builder(context, arena);
  const Var* amount = builder.NewVar("amount", DataType::Int(64));
  Analyzer analyzer(context, arena);
  // As in a loop without iterations.
  analyzer.Bind(amount, Interval::Empty());
  for (const OpKind op : {OpKind::kShiftLeft, OpKind::kShiftRight}) {
    const Expr* shifted =
        builder.NewCall(DataType::Int(64), op, {builder.Int(DataType::Int(64), 3), amount});
    EXPECT_EQ(analyzer.Bounds(shifted), Interval::OfDType(DataType::Int(64)));
  }
}

TEST(QMultiplyShift, BoundsAreTheEndsOfAMonotoneFunction) {
  Context context;
  Arena arena;
  NodeBuilder builder(context, arena);
  const Var* x = builder.NewVar("x", DataType::Int(32));
  const Expr* y = builder.Int(3 * (int64_t{1} << 29));
  Analyzer analyzer(context, arena);
  analyzer.Bind(x, {-128, 127});
  const Expr* scaled = builder.NewCall(DataType::Int(32), OpKind::kQMultiplyShift,
                                       {x, y, builder.Int(31), builder.Int(0)});
  EXPECT_EQ(analyzer.Bounds(scaled), (Interval{-96, 95}));
  // Loads return the contents of the storage.
  const Var* data = builder.NewVar("a", context.PointerType(DataType::Int(32), "global"));
  const Expr* extent = builder.Int(4);
  const Buffer* buffer = builder.New<Buffer>({}, context.Intern("a"), data, DataType::Int(32),
                                             builder.List<Expr>({extent}), builder.Int(0));
  Analyzer knows(context, arena);
  knows.BindElements(data, {0, 9});
  EXPECT_EQ(
      knows.Bounds(builder.New<Add>({}, builder.Load(buffer, {builder.Int(1)}), builder.Int(5))),
      (Interval{5, 14}));
}

INSTANTIATE_TEST_SUITE_P(Families, PropertyTest, testing::ValuesIn(Families()),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace tenon
