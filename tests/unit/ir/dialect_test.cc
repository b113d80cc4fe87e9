#include "ir/dialect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/attributes.h"
#include "ir/builder.h"
#include "ir/builtins.h"

namespace tenon {
namespace {

TEST(DialectTest, NamesOfOneDialect) {
  const DialectName* block = FindDialectName("block");
  ASSERT_NE(block, nullptr);
  EXPECT_FALSE(block->is_tirx);
  EXPECT_EQ(block->instead, "T.sblock");
  const DialectName* sblock = FindDialectName("sblock");
  ASSERT_NE(sblock, nullptr);
  EXPECT_TRUE(sblock->is_tirx);
  // Names of both dialects, of neither, and of nodes that the other dialect lacks.
  for (const std::string_view name : {"grid", "nonsense", "", "alloc_buffer", "allocate_const"}) {
    EXPECT_EQ(FindDialectName(name), nullptr) << name;
  }
}

TEST(DialectTest, EachNameIsFound) {
  for (const DialectName& row : DialectNames()) {
    EXPECT_EQ(FindDialectName(row.text), &row) << row.text;
    EXPECT_NE(row.instead, "") << row.text;
  }
}

TEST(DialectTest, NamesOfDialects) {
  EXPECT_EQ(DialectOf("tir"), Dialect::kV018);
  EXPECT_EQ(DialectOf("tirx"), kNewestTirx);
  EXPECT_EQ(DialectOf("tensorir"), std::nullopt);
  for (const Dialect dialect : {Dialect::kV015, Dialect::kV016, Dialect::kV018}) {
    EXPECT_EQ(RulesOf(dialect).name, "tir");
  }
  EXPECT_EQ(RulesOf(kNewestTirx).name, "tirx");
}

TEST(DialectTest, ReleasesOfTirx) {
  EXPECT_EQ(TirxReleaseOf("0.25.0"), Dialect::kV025);
  EXPECT_EQ(TirxReleaseOf("0.26.3"), Dialect::kV026);
  EXPECT_EQ(TirxReleaseOf("0.27.0.post1"), Dialect::kV027);
  for (const std::string_view other : {"", "0", "0.27", "0.19.0", "0.28.0", "10.27.0"}) {
    EXPECT_EQ(TirxReleaseOf(other), std::nullopt) << other;
  }
}

TEST(DialectTest, WordsOfBuiltins) {
  for (const Dialect dialect : {Dialect::kV025, Dialect::kV026, Dialect::kV027}) {
    EXPECT_EQ(MeaningOf("round", dialect), Op::Get(OpKind::kRoundeven));
    EXPECT_EQ(WordOf(*Op::Get(OpKind::kRoundeven), dialect), "round");
    EXPECT_EQ(WordOf(*Op::Get(OpKind::kNearbyint), dialect), "nearbyint");
    EXPECT_EQ(WordOf(*Op::Get(OpKind::kRound), dialect), "");
  }
  EXPECT_EQ(MeaningOf("round", Dialect::kV018), nullptr);
  EXPECT_EQ(MeaningOf("exp", Dialect::kV027), nullptr);
  EXPECT_EQ(WordOf(*Op::Get(OpKind::kRoundeven), Dialect::kV018), "nearbyint");
  EXPECT_EQ(WordOf(*Op::Get(OpKind::kRound), Dialect::kV018), "round");
}

TEST(DialectTest, TypeCodes) {
  EXPECT_EQ(TypeCodeName(TypeCode::kE4M3Float, kNewestTirx), "float8_e4m3fn");
  EXPECT_EQ(TypeCodeName(TypeCode::kE4M3Float, Dialect::kV018), "e4m3_float");
  EXPECT_EQ(TypeCodeName(TypeCode::kInt, kNewestTirx), "int");
}

/// A module of one function with `tir.noalias`.
IRModule NewModule(Context& context) {
  IRModule module(context);
  auto storage = std::make_shared<Storage>();
  NodeBuilder builder(context, storage->arena());
  const MapAttr* attrs = builder.Map({{attr_key::kNoAlias, builder.ExprValue(builder.Bool(true))}});
  const PrimFunc* func = builder.New<PrimFunc>({}, Span<const Var*>(), Span<const Buffer*>(),
                                               context.VoidType(), attrs, builder.NoOp());
  module.Add({context.Intern("f"), func, storage});
  return module;
}

TEST(DialectTest, ModulesChangeTheirDialect) {
  Context context;
  const IRModule tir = NewModule(context);
  const IRModule tirx = InDialect(tir, kNewestTirx);
  EXPECT_EQ(tirx.dialect, kNewestTirx);
  const Function& function = tirx.functions()[0];
  EXPECT_TRUE(IsTrue(function.FindAttr(attr_key::kSTir)));
  EXPECT_TRUE(isa<BoolAttr>(function.FindAttr(attr_key::kNoAlias)));
  const IRModule again = InDialect(tirx, Dialect::kV018);
  EXPECT_EQ(again.dialect, Dialect::kV018);
  EXPECT_EQ(again.functions()[0].FindAttr(attr_key::kSTir), nullptr);
  EXPECT_TRUE(isa<ExprAttr>(again.functions()[0].FindAttr(attr_key::kNoAlias)));
  // Releases of `tir` do not change.
  EXPECT_EQ(InDialect(tir, Dialect::kV018).dialect, Dialect::kV015);
}

}  // namespace
}  // namespace tenon
