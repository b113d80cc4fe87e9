#include <gtest/gtest.h>

#include "ir/builtins.h"
#include "tests/unit/printer/fixture.h"

// The places of definitions of buffers and variables that no statement defines.

namespace tenon {
namespace {

using PlacementTest = PrinterTest;

TEST_F(PlacementTest, AliasStandsBeforeItsFirstUseInTheInnermostFrameAroundAll) {
  const Var* data = NewPointer("A");
  const Buffer* once = NewBuffer("A_1", {4}, DataType::Float(32), data);
  const Buffer* twice = NewBuffer("A_2", {4}, DataType::Float(32), data);
  const Var* i = NewInt("i");
  const Var* j = NewInt("j");
  const Expr* one = b_.New<FloatImm>({}, DataType::Float(32), 1.0);
  const Stmt* body = Allocate(
      data, 4,
      b_.Seq(
          {Run("first"),
           Loop(i, 4,
                b_.Seq({Run("g"), Store(once, one, {i}), Store(twice, b_.Load(once, {i}), {i})})),
           Loop(j, 4, Store(twice, one, {j}))}));
  EXPECT_EQ(Body(NewFunction({}, body)), R"(A = T.allocate([4], "float32", "global")
T.call_extern("int32", "first")
A_2 = T.Buffer((4,), data=A)
for i in range(4):
    T.call_extern("int32", "g")
    A_1 = T.Buffer((4,), data=A)
    A_1[i] = T.float32(1)
    A_2[i] = A_1[i]
for j in range(4):
    A_2[j] = T.float32(1)
)");
}

TEST_F(PlacementTest, OuterFrameWinsWhereOneStatementOpensTwo) {
  const Buffer* p0 = NewBuffer("p0", {2});
  const Buffer* alias = NewBuffer("p0_1", {2}, DataType::Float(32), p0->data);
  const Var* x = NewInt("x");
  const Stmt* let = b_.New<LetStmt>({}, x, b_.Int(3), Store(alias, b_.Load(alias, {x}), {x}));
  EXPECT_EQ(Body(NewFunction({p0}, If(b_.New<LT>({}, Opaque("c"), b_.Int(3)), let))),
            R"(if T.call_extern("int32", "c") < 3:
    p0_1 = T.Buffer((2,), data=p0.data)
    x: T.int32 = 3
    p0_1[x] = p0_1[x]
)");
}

TEST_F(PlacementTest, LoopThatIsAWholeBranchSharesItsFrame) {
  const Buffer* p0 = NewBuffer("p0", {2});
  const Buffer* alias = NewBuffer("p0_1", {2}, DataType::Float(32), p0->data);
  const Var* i = NewInt("i");
  const Stmt* loop = Loop(i, 2, Store(alias, b_.Load(alias, {i}), {i}));
  EXPECT_EQ(Body(NewFunction({p0}, If(b_.New<LT>({}, Opaque("c"), b_.Int(3)), loop, Run("g")))),
            R"(if T.call_extern("int32", "c") < 3:
    p0_1 = T.Buffer((2,), data=p0.data)
    for i in range(2):
        p0_1[i] = p0_1[i]
else:
    T.call_extern("int32", "g")
)");
}

TEST_F(PlacementTest, BothBranchesOfAnIf) {
  const Buffer* p0 = NewBuffer("p0", {2});
  const Buffer* alias = NewBuffer("p0_1", {2}, DataType::Float(32), p0->data);
  const Stmt* store = Store(alias, b_.Load(alias, {b_.Int(0)}), {b_.Int(1)});
  const Stmt* both = If(b_.New<LT>({}, Opaque("c"), b_.Int(3)), store, store);
  EXPECT_EQ(Body(NewFunction({p0}, Loop(NewInt("i"), 3, b_.Seq({Run("g"), both})))),
            R"(for i in range(3):
    T.call_extern("int32", "g")
    p0_1 = T.Buffer((2,), data=p0.data)
    if T.call_extern("int32", "c") < 3:
        p0_1[1] = p0_1[0]
    else:
        p0_1[1] = p0_1[0]
)");
}

TEST_F(PlacementTest, StoredBufferThenValueThenIndices) {
  const Buffer* p0 = NewBuffer("p0", {2});
  const auto alias = [&](std::string_view name) {
    return NewBuffer(name, {2}, DataType::Int(32), p0->data);
  };
  const Stmt* store =
      Store(alias("a"), b_.Load(alias("b"), {b_.Int(0)}), {b_.Load(alias("c"), {b_.Int(0)})});
  EXPECT_EQ(Body(NewFunction({p0}, store)), R"(a = T.Buffer((2,), "int32", data=p0.data)
b = T.Buffer((2,), "int32", data=p0.data)
c = T.Buffer((2,), "int32", data=p0.data)
a[c[0]] = b[0]
)");
}

TEST_F(PlacementTest, FreeVariablesAndPointers) {
  const Var* n = NewInt("n");
  const Var* p = NewPointer("p", DataType::Int(8), "global.workspace");
  const Var* h = b_.NewVar("h", DataType::Handle());
  const Stmt* call = b_.New<Evaluate>(
      {}, b_.NewCall(DataType::Int(32), OpKind::kCallExtern, {b_.String("g"), p, n, h}));
  EXPECT_EQ(Body(NewFunction({}, Loop(NewInt("i"), 2, call))), R"(for i in range(2):
    p = T.handle("int8", "global.workspace")
    n = T.int32()
    h = T.handle()
    T.call_extern("int32", "g", p, n, h)
)");
}

TEST_F(PlacementTest, AliasOfUnknownDataBringsItsPointer) {
  const Buffer* x = NewBuffer("X", {4});
  const Buffer* y = NewBuffer("Y", {2}, DataType::Float(32), x->data);
  const Stmt* first = Loop(NewInt("i"), 4, Store(x, b_.Load(x, {b_.Int(1)}), {b_.Int(0)}));
  const Stmt* second = Loop(NewInt("j"), 4, Store(y, b_.Load(y, {b_.Int(1)}), {b_.Int(0)}));
  EXPECT_EQ(Body(NewFunction({}, first)), R"(for i in range(4):
    X = T.Buffer((4,))
    X[0] = X[1]
)");
  // A use of its pointer is a use of X.
  EXPECT_EQ(Body(NewFunction({}, b_.Seq({first, second}))), R"(X = T.Buffer((4,))
for i in range(4):
    X[0] = X[1]
for j in range(4):
    Y = T.Buffer((2,), data=X.data)
    Y[0] = Y[1]
)");
}

TEST_F(PlacementTest, VariablesInAnAliasStandBeforeItWhereverItIs) {
  const Var* n = NewInt("n");
  const Var* data = NewPointer("A");
  const Buffer* alias = b_.New<Buffer>({}, context_.Intern("B"), data, DataType::Float(32),
                                       b_.List<Expr>({Add(n, b_.Int(1))}), b_.Int(0));
  const Stmt* store = Store(alias, b_.New<FloatImm>({}, DataType::Float(32), 0.0), {b_.Int(0)});
  const Stmt* body =
      Allocate(data, 4, b_.Seq({Loop(NewInt("i"), 2, store), Loop(NewInt("j"), 2, store)}));
  EXPECT_EQ(Body(NewFunction({}, body)), R"(A = T.allocate([4], "float32", "global")
n = T.int32()
B = T.Buffer((n + 1,), data=A)
for i in range(2):
    B[0] = T.float32(0)
for j in range(2):
    B[0] = T.float32(0)
)");
}

TEST_F(PlacementTest, LetAroundAUseOutsideOfItNamesTheVariable) {
  const Var* x = NewInt("x");
  const auto use = [&] {
    return b_.New<Evaluate>(
        {}, b_.NewCall(DataType::Int(32), OpKind::kCallExtern, {b_.String("g"), x}));
  };
  const Stmt* let = b_.New<LetStmt>({}, x, b_.Int(1), use());
  EXPECT_EQ(Body(NewFunction({}, b_.Seq({use(), let}))), R"(x = T.int32()
T.call_extern("int32", "g", x)
with T.LetStmt(1, var=x):
    T.call_extern("int32", "g", x)
)");
}

TEST_F(PlacementTest, ThreadsAreDefinedByTheirAttributeOrBeforeAllOfThem) {
  const Var* tx = NewInt("tx");
  const IterVar* thread = b_.New<IterVar>({}, b_.New<Range>({}, b_.Int(0), b_.Int(32)), tx,
                                          IterVarKind::kThreadIndex, "threadIdx.x");
  const auto attr = [&] {
    return b_.New<AttrStmt>({}, b_.New<IterVarAttr>({}, thread), "thread_extent", b_.Int(32),
                            b_.New<Evaluate>({}, b_.NewCall(DataType::Int(32), OpKind::kCallExtern,
                                                            {b_.String("g"), tx})));
  };
  EXPECT_EQ(Body(NewFunction({}, attr())), R"(tx = T.launch_thread("threadIdx.x", 32)
T.call_extern("int32", "g", tx)
)");
  EXPECT_EQ(Body(NewFunction({}, b_.Seq({attr(), attr()}))), R"(tx = T.env_thread("threadIdx.x")
with T.launch_thread(tx, 32):
    T.call_extern("int32", "g", tx)
T.launch_thread(tx, 32)
T.call_extern("int32", "g", tx)
)");
}

}  // namespace
}  // namespace tenon
