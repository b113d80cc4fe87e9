#include <gtest/gtest.h>

#include <limits>

#include "ir/builtins.h"
#include "tests/unit/printer/fixture.h"

namespace tenon {
namespace {

using ExprTest = PrinterTest;

template <class T>
const Expr* Make(NodeBuilder& b, const Expr* x, const Expr* y) {
  return b.New<T>({}, x, y);
}

TEST_F(ExprTest, Literals) {
  EXPECT_EQ(PrintNode(b_.Int(-3)), "-3");
  EXPECT_EQ(PrintNode(b_.Int(DataType::Int(64), 5)), "T.int64(5)");
  EXPECT_EQ(PrintNode(b_.Int(DataType::Int(8), -128)), "T.int8(-128)");
  EXPECT_EQ(PrintNode(b_.Int(DataType::UInt(64), -1)), "T.uint64(18446744073709551615)");
  EXPECT_EQ(PrintNode(b_.Bool(true)), "T.bool(True)");
  EXPECT_EQ(PrintNode(b_.String("a\"b\\c\n\t\r\x01\xc3")), R"("a\"b\\c\n\t\r\x01\xC3")");
  EXPECT_EQ(PrintNode(b_.New<Broadcast>({}, b_.Int(0), 4)), "T.Broadcast(0, 4)");
  EXPECT_EQ(PrintNode(b_.New<Broadcast>({}, b_.Int(0), -4)), "T.Broadcast(0, T.vscale() * 4)");
}

TEST_F(ExprTest, FloatsByDialect) {
  const auto text = [&](double value, Dialect dialect, DataType dtype = DataType::Float(32)) {
    const Stmt* body = b_.New<Evaluate>({}, b_.New<FloatImm>({}, dtype, value));
    std::string line = Body(NewFunction({}, body), dialect);
    return line.substr(11, line.size() - 13);
  };
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (Dialect dialect : {Dialect::kV015, Dialect::kV018}) {
    EXPECT_EQ(text(0.84080779552459717, dialect), "T.float32(0.84080779552459717)");
    EXPECT_EQ(text(1e-5, dialect), "T.float32(1.0000000000000001e-05)");
    EXPECT_EQ(text(0.1, dialect, DataType::Float(64)), "T.float64(0.10000000000000001)");
    EXPECT_EQ(text(kInf, dialect), "T.float32(\"inf\")");
    EXPECT_EQ(text(-kInf, dialect), "T.float32(\"-inf\")");
    EXPECT_EQ(text(std::numeric_limits<double>::quiet_NaN(), dialect), "T.float32(\"nan\")");
  }
  EXPECT_EQ(text(1, Dialect::kV015), "T.float32(1)");
  EXPECT_EQ(text(1e20, Dialect::kV016), "T.float32(1e+20)");
  EXPECT_EQ(text(-0.0, Dialect::kV015), "T.float32(-0)");
  EXPECT_EQ(text(1, Dialect::kV018), "T.float32(1.0)");
  EXPECT_EQ(text(1e20, Dialect::kV018), "T.float32(100000000000000000000.0)");
  EXPECT_EQ(text(-0.0, Dialect::kV018), "T.float32(-0.0)");
  EXPECT_EQ(text(std::numeric_limits<float>::max(), Dialect::kV018),
            "T.float32(340282346638528859811704183484516925440.0)");
}

TEST_F(ExprTest, OperatorsBindAsInPython) {
  const Var* a = NewInt("a");
  const Var* b = NewInt("b");
  const Var* c = NewInt("c");
  const auto add = Make<tenon::Add>;
  const auto sub = Make<Sub>;
  const auto mul = Make<Mul>;
  EXPECT_EQ(PrintNode(add(b_, add(b_, a, b), c)), "a + b + c");
  EXPECT_EQ(PrintNode(add(b_, a, add(b_, b, c))), "a + (b + c)");
  EXPECT_EQ(PrintNode(sub(b_, a, sub(b_, b, c))), "a - (b - c)");
  EXPECT_EQ(PrintNode(mul(b_, add(b_, a, b), c)), "(a + b) * c");
  EXPECT_EQ(PrintNode(add(b_, mul(b_, a, b), c)), "a * b + c");
  EXPECT_EQ(PrintNode(add(b_, a, b_.Int(-4))), "a + -4");
  EXPECT_EQ(PrintNode(Make<FloorMod>(b_, Make<FloorDiv>(b_, a, b), c)), "a // b % c");
  const Expr* less = Make<LT>(b_, a, b);
  const Expr* more = Make<GE>(b_, b, c);
  const auto both = Make<And>;
  EXPECT_EQ(PrintNode(both(b_, both(b_, less, more), less)), "a < b and b >= c and a < b");
  EXPECT_EQ(PrintNode(both(b_, less, both(b_, more, less))), "a < b and (b >= c and a < b)");
  EXPECT_EQ(PrintNode(both(b_, Make<Or>(b_, less, more), less)), "(a < b or b >= c) and a < b");
  EXPECT_EQ(PrintNode(Make<EQ>(b_, less, more)), "a < b == (b >= c)");
  const Expr* negated = b_.New<Not>({}, less);
  EXPECT_EQ(PrintNode(negated), "not a < b");
  EXPECT_EQ(PrintNode(b_.New<Not>({}, negated)), "not not a < b");
  EXPECT_EQ(PrintNode(b_.New<Not>({}, both(b_, less, more))), "not (a < b and b >= c)");
  EXPECT_EQ(PrintNode(Make<EQ>(b_, negated, more)), "(not a < b) == (b >= c)");
}

TEST_F(ExprTest, CallFormWhereAnOperatorWouldFold) {
  const Var* a = NewInt("a");
  const Var* x = b_.NewVar("x", DataType::Float(32));
  EXPECT_EQ(PrintNode(Make<tenon::Add>(b_, a, b_.Int(0))), "T.Add(a, 0)");
  EXPECT_EQ(PrintNode(Make<Mul>(b_, b_.Int(2), b_.Int(3))), "T.Mul(2, 3)");
  EXPECT_EQ(PrintNode(Make<Mul>(b_, b_.Int(1), a)), "T.Mul(1, a)");
  EXPECT_EQ(PrintNode(Make<LT>(b_, b_.Int(1), b_.Int(2))), "T.LT(1, 2)");
  EXPECT_EQ(PrintNode(Make<And>(b_, b_.Bool(true), Make<LT>(b_, a, a))),
            "T.And(T.bool(True), a < a)");
  EXPECT_EQ(PrintNode(Make<Div>(b_, a, a)), "T.Div(a, a)");
  EXPECT_EQ(PrintNode(Make<Div>(b_, x, x)), "x / x");
  EXPECT_EQ(PrintNode(Make<Mod>(b_, a, a)), "T.truncmod(a, a)");
  EXPECT_EQ(PrintNode(Make<Min>(b_, a, b_.Int(1))), "T.min(a, 1)");
  EXPECT_EQ(PrintNode(Make<Max>(b_, a, b_.Int(1))), "T.max(a, 1)");
  // A call inside an operator needs no parentheses.
  EXPECT_EQ(PrintNode(Make<Mul>(b_, Make<tenon::Add>(b_, a, b_.Int(0)), a)), "T.Add(a, 0) * a");
}

TEST_F(ExprTest, Calls) {
  const Var* p = NewPointer("p");
  const Var* x = b_.NewVar("x", DataType::Float(32));
  EXPECT_EQ(PrintNode(b_.NewCall(DataType::Float(32), OpKind::kCallExtern, {b_.String("f"), x})),
            R"(T.call_extern("float32", "f", x))");
  EXPECT_EQ(PrintNode(b_.NewCall(DataType::Handle(), OpKind::kReinterpret,
                                 {b_.Int(DataType::UInt(64), 0)})),
            R"(T.reinterpret("handle", T.uint64(0)))");
  EXPECT_EQ(
      PrintNode(b_.NewCall(DataType::Int(64), OpKind::kTvmStructGet, {p, b_.Int(0), b_.Int(12)})),
      R"(T.tvm_struct_get(p, 0, 12, "int64"))");
  EXPECT_EQ(PrintNode(b_.NewCall(DataType::Float(32, 4), OpKind::kTypeAnnotation, {})),
            R"(T.type_annotation("float32x4"))");
  // `T.hexagon.x(x)` would be read back as a call without a dtype.
  EXPECT_EQ(PrintNode(b_.New<Call>({}, DataType::Int(32), context_.OpNamed("hexagon.x"),
                                   b_.List<Expr>({x}))),
            R"(T.Call("int32", "tir.hexagon.x", [x]))");
  EXPECT_EQ(PrintNode(b_.New<Call>({}, DataType::Void(), context_.OpNamed("hexagon.x"),
                                   b_.List<Expr>({x}))),
            "T.hexagon.x(x)");
  EXPECT_EQ(PrintNode(b_.New<Select>({}, b_.Bool(true), x, x)), "T.Select(T.bool(True), x, x)");
  EXPECT_EQ(PrintNode(b_.New<Cast>({}, DataType::Int(8), x)), R"(T.Cast("int8", x))");
}

TEST_F(ExprTest, SlicesStandForRamps) {
  const Var* i = NewInt("i");
  const Buffer* buffer = NewBuffer("A", {64});
  const auto load = [&](const Expr* base, const Expr* stride, int lanes) {
    return PrintNode(b_.Load(buffer, {b_.New<Ramp>({}, base, stride, lanes)}));
  };
  const auto mul = Make<Mul>;
  EXPECT_EQ(load(mul(b_, i, b_.Int(4)), b_.Int(1), 4), "A[i * 4:i * 4 + 4]");
  EXPECT_EQ(load(b_.Int(8), b_.Int(1), 4), "A[8:12]");
  EXPECT_EQ(load(i, b_.Int(2), 4), "A[i:i + 8:2]");
  EXPECT_EQ(load(i, b_.Int(-1), 4), "A[i:i + -4:-1]");
  EXPECT_EQ(load(i, b_.Int(0), 4), "A[T.Ramp(i, 0, 4)]");
  EXPECT_EQ(load(i, i, 4), "A[T.Ramp(i, i, 4)]");
  EXPECT_EQ(load(b_.Int(DataType::Int(64), 8), b_.Int(DataType::Int(64), 1), 4),
            "A[T.int64(8):T.int64(12)]");
  EXPECT_EQ(PrintNode(b_.Load(NewBuffer("S", {}), {})), "S[()]");
  EXPECT_EQ(PrintNode(b_.New<BufferLoad>({}, DataType::Float(32, 4), buffer,
                                         b_.List<Expr>({b_.New<Ramp>({}, i, b_.Int(1), 4)}),
                                         b_.New<Broadcast>({}, b_.Bool(true), 4))),
            "A.vload([T.Ramp(i, 1, 4)], predicate=T.Broadcast(T.bool(True), 4))");
}

TEST_F(ExprTest, Reductions) {
  const Var* x = NewInt("x");
  const Var* y = NewInt("y");
  const auto* reducer = b_.New<CommReducer>({}, b_.List<Var>({x}), b_.List<Var>({y}),
                                            b_.List<Expr>({Add(x, y)}), b_.List<Expr>({b_.Int(0)}));
  EXPECT_EQ(PrintNode(reducer), "T.comm_reducer(lambda x, y: x + y, [0])");
  const Var* k = NewInt("k");
  const auto* axis =
      b_.New<IterVar>({}, b_.New<Range>({}, b_.Int(1), b_.Int(4)), k, IterVarKind::kCommReduce);
  EXPECT_EQ(
      PrintNode(b_.New<Reduce>({}, DataType::Int(32), reducer, b_.List<Expr>({k}),
                               b_.List<IterVar>({axis}), b_.Bool(true), 0, Span<const Expr*>())),
      R"(T.reduce(T.comm_reducer(lambda x, y: x + y, [0]), source=[k], init=[], )"
      R"(axis=[T.iter_var(k, T.Range(1, 5), "CommReduce", "")], )"
      R"(condition=T.bool(True), value_index=0))");
}

TEST_F(ExprTest, LetIsDefinedOutsideAndBoundWithin) {
  const Var* x = NewInt("x");
  const Stmt* body = b_.New<Evaluate>({}, b_.New<Let>({}, x, b_.Int(3), Add(x, x)));
  EXPECT_EQ(Body(NewFunction({}, body)), R"(x = T.int32()
T.evaluate(T.Let(x + x, where={x: 3}))
)");
}

TEST_F(ExprTest, SumsOf100000Terms) {
  const Var* a = NewInt("a");
  const Expr* sum = a;
  for (int i = 0; i < 100000; ++i) sum = Add(sum, a);
  const std::string text = PrintNode(sum);
  EXPECT_EQ(text.size(), 4U * 100000 + 1);
  EXPECT_TRUE(text.starts_with("a + a + a"));
  const std::string body = Body(NewFunction({}, b_.New<Evaluate>({}, sum), {a}));
  EXPECT_EQ(body.size(), text.size() + std::string_view("T.evaluate()\n").size());
}

}  // namespace
}  // namespace tenon
