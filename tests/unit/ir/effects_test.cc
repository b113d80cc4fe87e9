#include "ir/analysis/effects.h"

#include <gtest/gtest.h>

#include "ir/builtins.h"
#include "test_function.h"

namespace tenon {
namespace {

const Stmt* CallExtern(TestFunction& f, std::string_view name,
                       std::initializer_list<const Expr*> args) {
  std::vector<const Expr*> all{f.b.String(name)};
  all.insert(all.end(), args);
  return f.b.New<Evaluate>({}, f.b.New<Call>({}, DataType::Int(32), Op::Get(OpKind::kCallExtern),
                                             f.b.arena().Copy(all)));
}

TEST(EffectsTest, ReachThroughCallsAndAliases) {
  Context context;
  IRModule module(context);
  TestFunction f(context);
  module.Add(f.Finish("f", f.Store(f.A, f.b.Int(0), f.b.Load(f.B, {f.b.Int(1)})), "f_symbol"));
  TestFunction g(context);
  // p = address_of(B[4]); f(p, a): writes B, reads A.
  const Var* p = g.b.NewVar("p", context.PointerType(DataType::Float(32), "global"));
  const Expr* address =
      g.b.NewCall(DataType::Handle(), OpKind::kAddressOf, {g.b.Load(g.B, {g.b.Int(4)})});
  module.Add(
      g.Finish("g", g.b.New<LetStmt>({}, p, address, CallExtern(g, "f_symbol", {p, g.A->data}))));
  const ModuleEffects effects(module);
  const FunctionEffects& of_f = effects.Of(*module.Find(context.Intern("f")));
  EXPECT_EQ(of_f.params[0], (ArgumentEffect{false, true}));
  EXPECT_EQ(of_f.params[1], (ArgumentEffect{true, false}));
  const FunctionEffects& of_g = effects.Of(*module.Find(context.Intern("g")));
  EXPECT_EQ(of_g.params[0], (ArgumentEffect{true, false}));
  EXPECT_EQ(of_g.params[1], (ArgumentEffect{false, true}));
  EXPECT_FALSE(of_g.calls_undeclared);
}

// A pointer that is chosen at run time may be to any of its buffers.
TEST(EffectsTest, AnAccessCountsForAllBuffersOfThePointer) {
  Context context;
  IRModule module(context);
  TestFunction f(context);
  module.Add(f.Finish("f", f.Store(f.A, f.b.Int(0), f.b.Load(f.B, {f.b.Int(1)})), "f_symbol"));
  const auto choose = [](TestFunction& g, bool is_select) -> const Expr* {
    const Expr* a = g.A->data;
    const Expr* address =
        g.b.NewCall(DataType::Handle(), OpKind::kAddressOf, {g.b.Load(g.B, {g.b.Int(4)})});
    const Expr* condition =
        g.b.New<EQ>({}, g.b.Load(g.A, {g.b.Int(0)}), g.b.Load(g.A, {g.b.Int(1)}));
    if (is_select) return g.b.New<Select>({}, condition, a, address);
    return g.b.NewCall(DataType::Handle(), OpKind::kIfThenElse, {condition, a, address});
  };
  // As an argument, and of a variable that is stored to.
  TestFunction g(context);
  const Buffer* local = g.NewBuffer("L", DataType::Float(32), 8);
  module.Add(g.Finish("g", CallExtern(g, "f_symbol", {choose(g, true), local->data})));
  TestFunction h(context);
  const Var* p = h.b.NewVar("p", context.PointerType(DataType::Float(32), "global"));
  const Buffer* at_p = h.NewBuffer("P", DataType::Float(32), 4, p);
  const Stmt* store = h.Store(at_p, h.b.Int(0), h.b.Number(DataType::Float(32), 0));
  module.Add(h.Finish("h", h.b.New<LetStmt>({}, p, choose(h, false), store)));
  const ModuleEffects effects(module);
  for (const std::string_view name : {"g", "h"}) {
    const FunctionEffects& of = effects.Of(*module.Find(context.Intern(name)));
    EXPECT_EQ(of.params[0], (ArgumentEffect{true, true})) << name;
    EXPECT_EQ(of.params[1], (ArgumentEffect{false, true})) << name;
  }
}

// A pointer that later code may find in memory, or make from a number, can be used for anything.
TEST(EffectsTest, PointersThatAreKeptEscape) {
  Context context;
  IRModule module(context);
  TestFunction f(context);
  const Buffer* kept = f.NewBuffer("K", DataType::Handle(), 1);
  const Expr* number =
      f.b.NewCall(DataType::UInt(64), OpKind::kReinterpret, {static_cast<const Expr*>(f.B->data)});
  const Function function =
      f.Finish("f", f.b.Seq({f.Store(kept, f.b.Int(0), f.A->data), f.b.New<Evaluate>({}, number)}));
  module.Add(function);
  const ModuleEffects effects(module);
  for (const ArgumentEffect& effect : effects.Of(function).params)
    EXPECT_EQ(effect, (ArgumentEffect{.reads = true, .writes = true, .escapes = true}));
}

TEST(EffectsTest, DeclaredExternsAreBelieved) {
  Context context;
  IRModule module(context);
  TestFunction f(context);
  Function function = f.Finish("f", CallExtern(f, "ext", {f.A->data, f.B->data}));
  PrimFunc copy = *function.func;
  const Attr* letters[] = {f.b.StringValue("r"), f.b.StringValue("w")};
  copy.attrs = f.b.With(copy.attrs, "tenon.externs", f.b.Map({{"ext", f.b.Array(letters)}}));
  function.func = f.b.arena().New<PrimFunc>(copy);
  module.Add(function);
  const ModuleEffects effects(module);
  EXPECT_EQ(effects.Of(function).params[0], (ArgumentEffect{true, false}));
  EXPECT_EQ(effects.Of(function).params[1], (ArgumentEffect{false, true}));
}

TEST(EffectsTest, UndeclaredExternsMayDoAnything) {
  Context context;
  IRModule module(context);
  TestFunction f(context);
  const Function function = f.Finish("f", CallExtern(f, "ext", {f.A->data}));
  module.Add(function);
  const ModuleEffects effects(module);
  EXPECT_TRUE(effects.Of(function).calls_undeclared);
  EXPECT_EQ(effects.Of(function).params[0],
            (ArgumentEffect{.reads = true, .writes = true, .escapes = true}));
  EXPECT_EQ(effects.Of(function).params[1], (ArgumentEffect{false, false}));
}

TEST(EffectsTest, RecursionSettles) {
  Context context;
  IRModule module(context);
  TestFunction f(context);
  const Stmt* body = f.b.Seq({CallExtern(f, "f", {f.B->data, f.A->data}),
                              f.Store(f.A, f.b.Int(0), f.b.Number(DataType::Float(32), 0))});
  const Function function = f.Finish("f", body);
  module.Add(function);
  const ModuleEffects effects(module);
  EXPECT_TRUE(effects.Of(function).params[0].writes);
  EXPECT_TRUE(effects.Of(function).params[1].writes);
}

}  // namespace
}  // namespace tenon
