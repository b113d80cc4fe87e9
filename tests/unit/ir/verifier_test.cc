#include "ir/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/builtins.h"
#include "test_function.h"

namespace tenon {
namespace {

/// The kinds that verifying `body` reports, each in brackets, joined by blanks.
std::string Kinds(Context& context, TestFunction& f, const Stmt* body) {
  IRModule module(context);
  module.Add(f.Finish("f", body));
  Diagnostics diagnostics;
  VerifyModule(module, diagnostics);
  std::string kinds;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    kinds += std::string(kinds.empty() ? "[" : " [") + std::string(KindText(diagnostic.kind)) + "]";
  }
  return kinds;
}

class VerifierTest : public testing::Test {
 protected:
  std::string Check(const Stmt* body) { return Kinds(context, f, body); }
  const Stmt* Eval(const Expr* expr) { return f.b.New<Evaluate>({}, expr); }
  const Stmt* Constant(const Var* var, int64_t extent, const tenon::Constant* data,
                       const Stmt* body) {
    return f.b.New<AllocateConst>({}, var, DataType::Int(8), f.b.List<Expr>({f.b.Int(extent)}),
                                  data, nullptr, body);
  }

  Context context;
  TestFunction f{context};
  const Expr* zero = f.b.Number(DataType::Float(32), 0);
};

TEST_F(VerifierTest, AcceptsASimpleLoop) {
  const Var* i = f.IntVar("i");
  EXPECT_EQ(Check(f.Loop(i, 8, f.Store(f.A, i, f.b.Load(f.B, {i})))), "");
}

TEST_F(VerifierTest, V01OperandDTypes) {
  EXPECT_EQ(Check(Eval(f.b.New<Add>({}, f.b.Int(1), zero))), "[V01-operand-dtypes]");
  EXPECT_EQ(Check(Eval(f.b.New<Not>({}, f.b.Int(1)))), "[V01-operand-dtypes]");
}

TEST_F(VerifierTest, V02UseBeforeDefinition) {
  EXPECT_EQ(Check(Eval(f.IntVar("n"))), "[V02-use-before-definition]");
  const Var* i = f.IntVar("i");
  EXPECT_EQ(Check(f.b.Seq({f.Loop(i, 2, Eval(i)), Eval(i)})), "[V02-use-before-definition]");
}

TEST_F(VerifierTest, V03Redefinition) {
  const Var* i = f.IntVar("i");
  EXPECT_EQ(Check(f.b.Seq({f.Loop(i, 2, Eval(i)), f.Loop(i, 2, Eval(i))})), "[V03-redefinition]");
}

TEST_F(VerifierTest, V04RankAndV05IndexDType) {
  EXPECT_EQ(Check(f.b.New<BufferStore>({}, f.A, zero, f.b.List<Expr>({f.b.Int(0), f.b.Int(0)}))),
            "[V04-rank]");
  EXPECT_EQ(Check(f.Store(f.A, zero, zero)), "[V05-index-dtype]");
}

TEST_F(VerifierTest, V06StoreAndV07LoadDTypes) {
  EXPECT_EQ(Check(f.Store(f.A, f.b.Int(0), f.b.Int(0))), "[V06-store-dtype]");
  EXPECT_EQ(
      Check(Eval(f.b.New<BufferLoad>({}, DataType::Int(8), f.A, f.b.List<Expr>({f.b.Int(0)})))),
      "[V07-load-dtype]");
}

TEST_F(VerifierTest, V08ExtentsAndV09PointerType) {
  const auto allocate = [&](DataType dtype, int64_t extent, DataType pointee) {
    const Var* var = f.b.NewVar("s", context.PointerType(pointee, "global"));
    return f.b.New<Allocate>({}, var, dtype, f.b.List<Expr>({f.b.Int(DataType::Int(64), extent)}),
                             f.b.Bool(true), nullptr, f.b.NoOp());
  };
  EXPECT_EQ(Check(allocate(DataType::Int(8), -1, DataType::Int(8))), "[V08-extents]");
  EXPECT_EQ(Check(allocate(DataType::Int(64), int64_t{1} << 60, DataType::Int(64))),
            "[V08-extents]");
  EXPECT_EQ(Check(allocate(DataType::Int(8), 4, DataType::Int(16))), "[V09-pointer-type]");
  EXPECT_EQ(Check(allocate(DataType::Int(8), 4, DataType::Int(8))), "");
}

TEST_F(VerifierTest, V10AndV11Constants) {
  const Var* var = f.b.NewVar("c", context.PointerType(DataType::Int(8), ""));
  const tenon::Constant* data = context.AddConstant(Symbol(), DataType::Int(8), {2}, {1, 2});
  EXPECT_EQ(Check(Constant(var, 3, data, f.b.NoOp())), "[V10-constant-data]");
  const Buffer* view = f.NewBuffer("C", DataType::Int(8), 2, var);
  const Stmt* store = f.Store(view, f.b.Int(0), f.b.Int(DataType::Int(8), 1));
  EXPECT_EQ(Check(Constant(var, 2, data, store)), "[V11-store-to-constant]");
}

TEST_F(VerifierTest, V12Loops) {
  const Var* i = f.b.NewVar("i", DataType::Int(64));
  EXPECT_EQ(Check(f.Loop(i, 8, f.b.NoOp())), "[V12-loop]");
  EXPECT_EQ(Check(f.Loop(f.IntVar("j"), -8, f.b.NoOp())), "[V12-loop]");
  EXPECT_EQ(Check(f.Loop(f.IntVar("k"), 8, f.b.NoOp(), ForKind::kThreadBinding)), "[V12-loop]");
}

TEST_F(VerifierTest, V13LetDType) {
  EXPECT_EQ(Check(f.b.New<LetStmt>({}, f.IntVar("x"), zero, f.b.NoOp())), "[V13-let-dtype]");
}

TEST_F(VerifierTest, V14Calls) {
  EXPECT_EQ(Check(Eval(f.b.NewCall(DataType::Float(32), OpKind::kExp, {zero, zero}))),
            "[V14-call]");
  const Call* missing = f.b.New<Call>({}, DataType::Void(), Op::Get(OpKind::kGlobalCall),
                                      Span<const Expr*>(), context.Intern("nobody"));
  EXPECT_EQ(Check(Eval(missing)), "[V14-call]");
  EXPECT_EQ(Check(Eval(
                f.b.NewCall(DataType::Int(32), OpKind::kCallExtern, {f.b.String("f"), f.A->data}))),
            "[V14-call]");
}

TEST_F(VerifierTest, V15Conditions) {
  EXPECT_EQ(Check(f.b.New<IfThenElse>({}, f.b.Int(1), f.b.NoOp(), nullptr)), "[V15-condition]");
}

TEST_F(VerifierTest, V16Lanes) {
  EXPECT_EQ(Check(Eval(f.b.New<Ramp>({}, zero, zero, 4))), "[V16-lanes]");
  EXPECT_EQ(Check(Eval(f.b.New<Broadcast>({}, f.b.New<Broadcast>({}, zero, 2), 4))), "[V16-lanes]");
}

TEST_F(VerifierTest, V17Sequences) {
  const Stmt* one[] = {f.b.NoOp()};
  EXPECT_EQ(Check(f.b.New<SeqStmt>({}, f.b.arena().Copy(Span<const Stmt*>(one)))),
            "[V17-sequence]");
}

TEST_F(VerifierTest, V18Buffers) {
  Buffer odd = *f.A;
  odd.data_alignment = 3;
  const Buffer* buffer = f.b.arena().New<Buffer>(odd);
  EXPECT_EQ(Check(f.Store(buffer, f.b.Int(0), zero)), "[V18-buffer]");
}

TEST_F(VerifierTest, V19Blocks) {
  Block block;
  block.name_hint = "b";
  block.body = f.b.NoOp();
  const Expr* values[] = {f.b.Int(0)};
  EXPECT_EQ(Check(f.b.New<BlockRealize>({}, f.b.arena().Copy(Span<const Expr*>(values)),
                                        f.b.Bool(true), f.b.arena().New<Block>(block))),
            "[V19-block]");
}

TEST_F(VerifierTest, V20SignatureAndV21Symbol) {
  f.b_param = f.a_param;
  EXPECT_EQ(Check(f.b.NoOp()), "[V20-signature]");
  TestFunction g(context);
  TestFunction h(context);
  IRModule module(context);
  module.Add(g.Finish("g", g.b.NoOp(), "same"));
  module.Add(h.Finish("h", h.b.NoOp(), "same"));
  Diagnostics diagnostics;
  EXPECT_FALSE(VerifyModule(module, diagnostics));
  EXPECT_EQ(diagnostics.all()[0].kind, DiagnosticKind::kV21);
}

TEST_F(VerifierTest, V22StringsAndV23Literals) {
  EXPECT_EQ(Check(Eval(f.b.String("text"))), "[V22-string]");
  EXPECT_EQ(Check(Eval(f.b.Int(DataType::Int(8), 200))), "[V23-literal-range]");
}

TEST_F(VerifierTest, V24ConstantFaults) {
  EXPECT_EQ(Check(Eval(f.b.New<FloorDiv>({}, f.b.Int(1), f.b.Int(0)))), "[V24-constant-fault]");
  EXPECT_EQ(Check(f.Store(f.A, f.b.Int(8), zero)), "[V24-constant-fault]");
  EXPECT_EQ(
      Check(Eval(f.b.NewCall(DataType::Int(32), OpKind::kShiftLeft, {f.b.Int(1), f.b.Int(32)}))),
      "[V24-constant-fault]");
  const Stmt* guarded =
      f.b.New<IfThenElse>({}, f.b.Bool(false), f.Store(f.A, f.b.Int(8), zero), nullptr);
  EXPECT_EQ(Check(guarded), "");
}

TEST_F(VerifierTest, V25UndeclaredExtern) {
  const Var* var = f.b.NewVar("c", context.PointerType(DataType::Int(8), ""));
  const tenon::Constant* data = context.AddConstant(Symbol(), DataType::Int(8), {2}, {1, 2});
  const Stmt* call =
      Eval(f.b.NewCall(DataType::Int(32), OpKind::kCallExtern, {f.b.String("ext"), var}));
  EXPECT_EQ(Check(Constant(var, 2, data, call)), "[V25-undeclared-extern]");
}

}  // namespace
}  // namespace tenon
