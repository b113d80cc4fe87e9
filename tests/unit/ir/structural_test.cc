#include "ir/structural.h"

#include <gtest/gtest.h>

#include "test_function.h"

namespace tenon {
namespace {

/// for i in range(extent): A[i] = B[i] + value
Function Simple(Context& context, const char* loop_name, int64_t extent, double value) {
  TestFunction f(context);
  const Var* i = f.IntVar(loop_name);
  const Expr* sum = f.b.New<Add>({}, f.b.Load(f.B, {i}), f.b.Number(DataType::Float(32), value));
  return f.Finish("f", f.Loop(i, extent, f.Store(f.A, i, sum)));
}

TEST(StructuralTest, NamesDoNotCount) {
  Context context;
  const Function a = Simple(context, "i", 8, 1);
  const Function b = Simple(context, "j", 8, 1);
  EXPECT_TRUE(StructuralEqual(a.func, b.func));
  EXPECT_EQ(StructuralHash(a.func), StructuralHash(b.func));
}

TEST(StructuralTest, DifferencesAreFoundAndPlaced) {
  Context context;
  const Function a = Simple(context, "i", 8, 1);
  const Function b = Simple(context, "i", 7, 1);
  Difference difference;
  EXPECT_FALSE(StructuralEqual(a.func, b.func, &difference));
  EXPECT_EQ(difference.path, ".body.extent.value");
  EXPECT_NE(StructuralHash(a.func), StructuralHash(b.func));
  EXPECT_FALSE(StructuralEqual(a.func, Simple(context, "i", 8, 1.5).func));
}

TEST(StructuralTest, ModulesOfTwoContextsCompare) {
  Context x;
  Context y;
  IRModule a(x);
  IRModule b(y);
  a.Add(Simple(x, "i", 8, 1));
  b.Add(Simple(y, "i", 8, 1));
  EXPECT_TRUE(StructuralEqual(a, b));
  EXPECT_EQ(StructuralHash(a), StructuralHash(b));
}

TEST(StructuralTest, VariablesPairOneToOne) {
  Context context;
  TestFunction f(context);
  const Var* i = f.IntVar("i");
  const Var* j = f.IntVar("j");
  const Expr* ij = f.b.New<Add>({}, i, j);
  const Expr* ii = f.b.New<Add>({}, i, i);
  EXPECT_FALSE(StructuralEqual(ij, ii));
  EXPECT_FALSE(StructuralEqual(ii, ij));
  EXPECT_TRUE(StructuralEqual(ij, f.b.New<Add>({}, j, i)));
}

TEST(StructuralTest, ReboundVariablesAreDifferent) {
  Context context;
  TestFunction f(context);
  const Var* const i = f.IntVar("i");
  const Var* const j = f.IntVar("j");
  const auto loop = [&](const Var* var) {
    return f.Loop(var, 8, f.Store(f.A, var, f.b.Load(f.B, {var})));
  };
  const Stmt* const once = f.b.Seq({loop(i), loop(j)});
  const Stmt* const twice = f.b.Seq({loop(i), loop(i)});
  EXPECT_TRUE(StructuralEqual(once, twice));
  EXPECT_TRUE(StructuralEqual(twice, once));
  EXPECT_EQ(StructuralHash(once), StructuralHash(twice));
}

TEST(StructuralTest, ConstantsCompareByContents) {
  Context context;
  TestFunction f(context);
  const auto make = [&](std::vector<uint8_t> bytes) -> const Stmt* {
    const auto count = static_cast<int64_t>(bytes.size());
    const Constant* data =
        context.AddConstant(Symbol(), DataType::Int(8), {count}, std::move(bytes));
    const Var* var = f.b.NewVar("c", context.PointerType(DataType::Int(8), ""));
    return f.b.New<AllocateConst>({}, var, DataType::Int(8), f.b.List<Expr>({f.b.Int(count)}), data,
                                  nullptr, f.b.NoOp());
  };
  EXPECT_TRUE(StructuralEqual(make({1, 2}), make({1, 2})));
  EXPECT_FALSE(StructuralEqual(make({1, 2}), make({1, 3})));
}

}  // namespace
}  // namespace tenon
