#include "parser/operators.h"

#include <fmt/format.h>

#include <cmath>

#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "support/checked.h"

namespace tenon {

namespace {

std::optional<NodeKind> ComparisonOf(Tok op) {
  switch (op) {
    case Tok::kLess:
      return NodeKind::kLT;
    case Tok::kLessEqual:
      return NodeKind::kLE;
    case Tok::kGreater:
      return NodeKind::kGT;
    case Tok::kGreaterEqual:
      return NodeKind::kGE;
    case Tok::kEqual:
      return NodeKind::kEQ;
    case Tok::kNotEqual:
      return NodeKind::kNE;
    default:
      return std::nullopt;
  }
}

std::optional<NodeKind> ArithmeticOf(Tok op) {
  switch (op) {
    case Tok::kPlus:
      return NodeKind::kAdd;
    case Tok::kMinus:
      return NodeKind::kSub;
    case Tok::kStar:
      return NodeKind::kMul;
    case Tok::kSlash:
      return NodeKind::kDiv;
    case Tok::kDoubleSlash:
      return NodeKind::kFloorDiv;
    case Tok::kPercent:
      return NodeKind::kFloorMod;
    default:
      return std::nullopt;
  }
}

const Op* BitwiseOf(Tok op) {
  switch (op) {
    case Tok::kAmp:
      return Op::Get(OpKind::kBitwiseAnd);
    case Tok::kBar:
      return Op::Get(OpKind::kBitwiseOr);
    case Tok::kCaret:
      return Op::Get(OpKind::kBitwiseXor);
    case Tok::kShiftLeft:
      return Op::Get(OpKind::kShiftLeft);
    default:
      return Op::Get(OpKind::kShiftRight);
  }
}

double RealOf(const PyValue& value) {
  if (value.is(PyKind::kFloat)) return value.real;
  if (value.is(PyKind::kBigInt)) return static_cast<double>(static_cast<uint64_t>(value.integer));
  return static_cast<double>(value.integer);
}

int64_t FloorDivide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && ((a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

/// Python's integer arithmetic, if its result fits 64 bits.
std::optional<int64_t> PyInteger(Tok op, int64_t a, int64_t b) {
  switch (op) {
    case Tok::kPlus:
      return CheckedAdd(a, b);
    case Tok::kMinus: {
      int64_t result = 0;
      if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
      return result;
    }
    case Tok::kStar:
      return CheckedMul(a, b);
    case Tok::kDoubleSlash:
      if (b == -1) return PyInteger(Tok::kMinus, 0, a);
      return FloorDivide(a, b);
    case Tok::kPercent:
      return b == -1 ? 0 : a - FloorDivide(a, b) * b;
    case Tok::kAmp:
      return a & b;
    case Tok::kBar:
      return a | b;
    case Tok::kCaret:
      return a ^ b;
    case Tok::kShiftLeft:
      if (b < 0 || b > 62) return std::nullopt;
      return CheckedMul(a, int64_t{1} << b);
    case Tok::kShiftRight:
      if (b < 0) return std::nullopt;
      return b > 63 ? (a < 0 ? -1 : 0) : a >> b;
    default:
      return std::nullopt;
  }
}

template <class T>
bool Compare(Tok op, T a, T b) {
  switch (op) {
    case Tok::kLess:
      return a < b;
    case Tok::kLessEqual:
      return a <= b;
    case Tok::kGreater:
      return a > b;
    case Tok::kGreaterEqual:
      return a >= b;
    case Tok::kEqual:
      return a == b;
    default:
      return a != b;
  }
}

}  // namespace

PyValue Operators::PyArithmetic(Tok op, const PyValue& a, const PyValue& b, SourceRange range) {
  const bool real = a.is(PyKind::kFloat) || b.is(PyKind::kFloat);
  const bool big = a.is(PyKind::kBigInt) || b.is(PyKind::kBigInt);
  if (ComparisonOf(op)) {
    return PyValue::Bool(
        range, real || big ? Compare(op, RealOf(a), RealOf(b)) : Compare(op, a.integer, b.integer));
  }
  const bool divides = op == Tok::kSlash || op == Tok::kDoubleSlash || op == Tok::kPercent;
  if (divides && RealOf(b) == 0) {
    return env_.Fail(DiagnosticKind::kLiteral, range, "division of a number by zero");
  }
  if (real || op == Tok::kSlash) {
    const double x = RealOf(a);
    const double y = RealOf(b);
    switch (op) {
      case Tok::kPlus:
        return PyValue::Float(range, x + y);
      case Tok::kMinus:
        return PyValue::Float(range, x - y);
      case Tok::kStar:
        return PyValue::Float(range, x * y);
      case Tok::kSlash:
        return PyValue::Float(range, x / y);
      case Tok::kDoubleSlash:
        return PyValue::Float(range, std::floor(x / y));
      case Tok::kPercent:
        return PyValue::Float(range, x - std::floor(x / y) * y);
      default:
        return env_.Fail(DiagnosticKind::kType, range, "bitwise operator on a floating number");
    }
  }
  const std::optional<int64_t> result = big ? std::nullopt : PyInteger(op, a.integer, b.integer);
  if (result) return PyValue::Int(range, *result);
  return env_.Fail(DiagnosticKind::kLiteral, range, "the result does not fit 64 bits");
}

bool Operators::CheckNoString(const PyValue& value, const Expr* expr) {
  if (!isa<StringImm>(expr)) return true;
  env_.Error(DiagnosticKind::kType, value.range, "operand is a string, expected a number");
  return false;
}

PyValue Operators::Binary(Tok op, const PyValue& a, const PyValue& b, SourceRange op_range) {
  const SourceRange range{a.range.begin, b.range.end};
  if (a.is_error() || b.is_error()) return PyValue(PyKind::kError, range);
  if (op == Tok::kAnd || op == Tok::kOr) return Logical(op, a, b, range);
  if (a.is_number() && b.is_number()) return PyArithmetic(op, a, b, range);
  if (const std::optional<NodeKind> kind = ComparisonOf(op)) return Comparison(*kind, a, b, range);
  if (a.is_sequence() && b.is_sequence() && op == Tok::kPlus && a.kind == b.kind) {
    // The limit on items of sums of lists: sums of sums can grow far beyond the size of the text.
    constexpr size_t kMostSummed = 1'000'000;
    summed_items_ += a.count + b.count;
    if (summed_items_ > kMostSummed) {
      return env_.Fail(
          DiagnosticKind::kLimit, range,
          fmt::format("sums of lists with more than {} elements in a function", kMostSummed));
    }
    absl::InlinedVector<PyValue, 8> items(a.elements().begin(), a.elements().end());
    items.insert(items.end(), b.elements().begin(), b.elements().end());
    return env_.Items(a.kind, range, items);
  }
  const std::optional<NodeKind> kind = ArithmeticOf(op);
  if (!kind) return Bitwise(BitwiseOf(op), a, b, range, /*fold=*/true);
  const Expr* x = values_.ToExpr(a);
  const Expr* y = values_.ToExpr(b);
  if (x == nullptr || y == nullptr || !CheckNoString(a, x) || !CheckNoString(b, y)) {
    return PyValue(PyKind::kError, range);
  }
  if (*kind == NodeKind::kDiv && x->dtype.is_integer() && y->dtype.is_integer()) {
    return env_.Fail(DiagnosticKind::kType, op_range,
                     "`/` on integers, expected `//`, `T.Div` or `T.truncdiv`", range);
  }
  const bool divides = *kind == NodeKind::kFloorDiv || *kind == NodeKind::kFloorMod;
  if (divides && IsConstInt(AsImmediate(y), 0)) {
    return env_.Fail(DiagnosticKind::kLiteral, range, "division by the constant zero");
  }
  std::string error;
  const Expr* result = Operator(env_.builder, *kind, x, y, range, &error);
  if (result == nullptr) env_.Error(DiagnosticKind::kType, op_range, std::move(error));
  return PyValue::Of(range, result);
}

PyValue Operators::Comparison(NodeKind kind, const PyValue& a, const PyValue& b,
                              SourceRange range) {
  const Expr* x = nullptr;
  const Expr* y = nullptr;
  // A number of Python's takes the other side's type.
  if (a.is_number()) {
    y = values_.ToExpr(b);
    x = y == nullptr ? nullptr : values_.ToExpr(a, y->dtype.element());
  } else {
    x = values_.ToExpr(a);
    const bool chained = x != nullptr && x->dtype.is_bool() && b.is(PyKind::kInt) &&
                         (b.integer < 0 || b.integer > 1);
    y = x == nullptr ? nullptr
        : chained    ? values_.ToExpr(b)
                     : values_.ToExpr(b, x->dtype.element());
  }
  if (x == nullptr || y == nullptr || !CheckNoString(a, x) || !CheckNoString(b, y)) {
    return PyValue(PyKind::kError, range);
  }
  if (x->dtype.is_scalar() && !y->dtype.is_scalar()) {
    x = env_.builder.New<Broadcast>(x->range, x, y->dtype.lanes());
  } else if (y->dtype.is_scalar() && !x->dtype.is_scalar()) {
    y = env_.builder.New<Broadcast>(y->range, y, x->dtype.lanes());
  }
  if (x->dtype != y->dtype) {
    return env_.Fail(DiagnosticKind::kType, range,
                     fmt::format("comparison of `{}` with `{}`, expected equal dtypes",
                                 x->dtype.ToString(), y->dtype.ToString()));
  }
  return PyValue::Of(range, MakeBinary(env_.builder, kind, x, y, range));
}

PyValue Operators::Logical(Tok op, const PyValue& a, const PyValue& b, SourceRange range) {
  if (a.is_number() && b.is_number()) {
    const bool truth = RealOf(a) != 0;
    PyValue result = truth == (op == Tok::kAnd) ? b : a;
    result.range = range;
    return result;
  }
  const Expr* x = values_.ToExpr(a);
  const Expr* y = values_.ToExpr(b);
  if (x == nullptr || y == nullptr || !CheckNoString(a, x) || !CheckNoString(b, y)) {
    return PyValue(PyKind::kError, range);
  }
  // A scalar is repeated in all lanes.
  if (x->dtype.is_bool() && y->dtype.is_bool() && x->dtype != y->dtype) {
    if (x->dtype.is_scalar()) x = Splat(x, y->dtype);
    if (y->dtype.is_scalar()) y = Splat(y, x->dtype);
  }
  if (!x->dtype.is_bool() || x->dtype != y->dtype) {
    return env_.Fail(
        DiagnosticKind::kType, range,
        fmt::format("operands of `{}` have dtypes `{}` and `{}`, expected bool",
                    op == Tok::kAnd ? "and" : "or", x->dtype.ToString(), y->dtype.ToString()));
  }
  const NodeKind kind = op == Tok::kAnd ? NodeKind::kAnd : NodeKind::kOr;
  return PyValue::Of(range, MakeBinary(env_.builder, kind, x, y, range));
}

PyValue Operators::Bitwise(const Op* op, const PyValue& a, const PyValue& b, SourceRange range,
                           bool fold) {
  const Expr* x = values_.ToExpr(a);
  const Expr* y = values_.ToExpr(b);
  if (x == nullptr || y == nullptr || !CheckNoString(a, x) || !CheckNoString(b, y)) {
    return PyValue(PyKind::kError, range);
  }
  if (!x->dtype.is_integer() || !y->dtype.is_integer()) {
    return env_.Fail(DiagnosticKind::kType, range,
                     fmt::format("operands of `T.{}` have dtypes `{}` and `{}`, expected integers",
                                 op->text, x->dtype.ToString(), y->dtype.ToString()));
  }
  if (std::optional<std::string> mismatch = MatchTypes(env_.builder, &x, &y)) {
    return env_.Fail(DiagnosticKind::kType, range, *std::move(mismatch));
  }
  const bool shift = op->kind == OpKind::kShiftLeft || op->kind == OpKind::kShiftRight;
  const int64_t* p = AsIntImm(x);
  const int64_t* q = AsIntImm(y);
  // All releases write a call for operands that an operator would fold.
  const bool folds = q != nullptr && (p != nullptr || *q == 0);
  if (!folds) env_.RaiseDialect(fold ? Dialect::kV027 : Dialect::kV025);
  if (shift && q != nullptr && (*q < 0 || *q >= x->dtype.bits())) {
    return env_.Fail(DiagnosticKind::kLiteral, range,
                     fmt::format("shift of `{}` by {} bits", x->dtype.ToString(), *q));
  }
  if (fold && x->dtype.is_int() && x->dtype.bits() >= 32) {
    if (shift && q != nullptr && *q == 0) return PyValue::Of(range, x);
    if (p != nullptr && q != nullptr) {
      const int64_t result = op->kind == OpKind::kBitwiseAnd   ? *p & *q
                             : op->kind == OpKind::kBitwiseOr  ? *p | *q
                             : op->kind == OpKind::kBitwiseXor ? *p ^ *q
                             : op->kind == OpKind::kShiftRight
                                 ? *p >> *q
                                 : static_cast<int64_t>(static_cast<uint64_t>(*p) << *q);
      return PyValue::Of(range, env_.builder.Int(x->dtype, WrapToDType(result, x->dtype), range));
    }
  }
  return PyValue::Of(range,
                     env_.builder.New<Call>(range, x->dtype, op, env_.builder.List<Expr>({x, y})));
}

PyValue Operators::Unary(Tok op, const PyValue& a, SourceRange range) {
  if (a.is_error()) return PyValue(PyKind::kError, range);
  if (op == Tok::kPlus) {
    PyValue result = a;
    result.range = range;
    return result;
  }
  if (a.is_number()) {
    if (op == Tok::kNot) return PyValue::Bool(range, RealOf(a) == 0);
    if (a.is(PyKind::kFloat) && op == Tok::kMinus) return PyValue::Float(range, -a.real);
    if (a.is(PyKind::kBigInt) && op == Tok::kMinus && a.integer == INT64_MIN) {
      return PyValue::Int(range, INT64_MIN);
    }
    if (a.integer != INT64_MIN && (a.is(PyKind::kInt) || a.is(PyKind::kBool))) {
      return PyValue::Int(range, op == Tok::kMinus ? -a.integer : ~a.integer);
    }
    return env_.Fail(DiagnosticKind::kLiteral, range,
                     a.is(PyKind::kFloat) ? "bitwise operator on a floating number"
                                          : "the result does not fit 64 bits");
  }
  const Expr* x = values_.ToExpr(a);
  if (x == nullptr || !CheckNoString(a, x)) return PyValue(PyKind::kError, range);
  if (op == Tok::kNot) {
    if (!x->dtype.is_bool()) {
      return env_.Fail(
          DiagnosticKind::kType, range,
          fmt::format("operand of `not` has dtype `{}`, expected bool", x->dtype.ToString()));
    }
    return PyValue::Of(range, env_.builder.New<Not>(range, x));
  }
  if (op == Tok::kTilde) {
    if (!x->dtype.is_integer()) {
      return env_.Fail(
          DiagnosticKind::kType, range,
          fmt::format("operand of `~` has dtype `{}`, expected an integer", x->dtype.ToString()));
    }
    env_.RaiseDialect(Dialect::kV027);
    return PyValue::Of(range, env_.NewCall(x->dtype, Op::Get(OpKind::kBitwiseNot),
                                           env_.builder.List<Expr>({x}), range));
  }
  if (x->dtype.is_handle() || x->dtype.is_void()) {
    return env_.Fail(DiagnosticKind::kType, range,
                     fmt::format("operand of `-` has dtype `{}`", x->dtype.ToString()));
  }
  const Expr* minus_one = env_.builder.Number(x->dtype, -1, range);
  std::string error;
  return PyValue::Of(range, Operator(env_.builder, NodeKind::kMul, x, minus_one, range, &error));
}

const Expr* Operators::Splat(const Expr* scalar, DataType dtype) {
  return dtype.is_scalar() ? scalar
                           : env_.builder.New<Broadcast>(scalar->range, scalar, dtype.lanes());
}

}  // namespace tenon
