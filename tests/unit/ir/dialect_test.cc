#include "ir/dialect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/attributes.h"
#include "ir/builder.h"

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
  EXPECT_EQ(DialectOf("tirx"), Dialect::kTirx);
  EXPECT_EQ(DialectOf("tensorir"), std::nullopt);
  for (const Dialect dialect : {Dialect::kV015, Dialect::kV016, Dialect::kV018}) {
    EXPECT_EQ(&RulesOf(dialect), &RulesOf(Dialect::kV015));
  }
  EXPECT_EQ(RulesOf(Dialect::kTirx).name, "tirx");
}

TEST(DialectTest, TypeCodes) {
  EXPECT_EQ(TypeCodeName(TypeCode::kE4M3Float, Dialect::kTirx), "float8_e4m3fn");
  EXPECT_EQ(TypeCodeName(TypeCode::kE4M3Float, Dialect::kV018), "e4m3_float");
  EXPECT_EQ(TypeCodeName(TypeCode::kInt, Dialect::kTirx), "int");
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
  const IRModule tirx = InDialect(tir, Dialect::kTirx);
  EXPECT_EQ(tirx.dialect, Dialect::kTirx);
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
