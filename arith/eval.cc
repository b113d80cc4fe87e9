#include "arith/eval.h"

#include <array>
#include <cmath>

#include "ir/builtins.h"
#include "ir/const_fold.h"
#include "ir/q_multiply_shift.h"
#include "support/half.h"
#include "support/stack.h"

namespace tenon {

namespace {

using Result = std::optional<ScalarValue>;

uint64_t Bits(int64_t value) { return static_cast<uint64_t>(value); }
int64_t FromBits(uint64_t value) { return static_cast<int64_t>(value); }

ScalarValue Bool(bool value) { return ScalarValue::Int(DataType::Bool(), value ? 1 : 0); }

/// Quotient and remainder toward zero; the remainder has the sign of a.
struct Division {
  int64_t quotient;
  int64_t remainder;
};
Division Truncated(int64_t a, int64_t b, DataType dtype) {
  if (dtype.is_uint()) return {FromBits(Bits(a) / Bits(b)), FromBits(Bits(a) % Bits(b))};
  if (b == -1) return {FromBits(uint64_t{0} - Bits(a)), 0};
  return {a / b, a % b};
}

Result Divide(NodeKind kind, int64_t a, int64_t b, DataType dtype) {
  if (b == 0) return std::nullopt;
  auto [quotient, remainder] = Truncated(a, b, dtype);
  const bool floor = kind == NodeKind::kFloorDiv || kind == NodeKind::kFloorMod;
  if (floor && dtype.is_int() && remainder != 0 && (remainder < 0) != (b < 0)) {
    --quotient;
    remainder += b;
  }
  const bool wants_quotient = kind == NodeKind::kDiv || kind == NodeKind::kFloorDiv;
  return ScalarValue::Int(dtype, wants_quotient ? quotient : remainder);
}

template <class T>
Result Compare(NodeKind kind, T a, T b) {
  switch (kind) {
    case NodeKind::kEQ:
      return Bool(a == b);
    case NodeKind::kNE:
      return Bool(a != b);
    case NodeKind::kLT:
      return Bool(a < b);
    case NodeKind::kLE:
      return Bool(a <= b);
    case NodeKind::kGT:
      return Bool(a > b);
    case NodeKind::kGE:
      return Bool(a >= b);
    default:
      return std::nullopt;
  }
}

Result Integers(NodeKind kind, const ScalarValue& x, const ScalarValue& y) {
  const DataType dtype = x.dtype;
  const int64_t a = x.integer;
  const int64_t b = y.integer;
  const bool less = dtype.is_uint() ? Bits(a) < Bits(b) : a < b;
  switch (kind) {
    case NodeKind::kAdd:
      return ScalarValue::Int(dtype, FromBits(Bits(a) + Bits(b)));
    case NodeKind::kSub:
      return ScalarValue::Int(dtype, FromBits(Bits(a) - Bits(b)));
    case NodeKind::kMul:
      return ScalarValue::Int(dtype, FromBits(Bits(a) * Bits(b)));
    case NodeKind::kDiv:
    case NodeKind::kMod:
    case NodeKind::kFloorDiv:
    case NodeKind::kFloorMod:
      return Divide(kind, a, b, dtype);
    case NodeKind::kMin:
      return less ? x : y;
    case NodeKind::kMax:
      return less ? y : x;
    case NodeKind::kAnd:
      return Bool(a != 0 && b != 0);
    case NodeKind::kOr:
      return Bool(a != 0 || b != 0);
    default:
      return dtype.is_uint() ? Compare(kind, Bits(a), Bits(b)) : Compare(kind, a, b);
  }
}

Result Floats(NodeKind kind, const ScalarValue& x, const ScalarValue& y) {
  const double a = x.real;
  const double b = y.real;
  switch (kind) {
    case NodeKind::kAdd:
      return ScalarValue::Float(x.dtype, a + b);
    case NodeKind::kSub:
      return ScalarValue::Float(x.dtype, a - b);
    case NodeKind::kMul:
      return ScalarValue::Float(x.dtype, a * b);
    case NodeKind::kDiv:
      return ScalarValue::Float(x.dtype, a / b);
    case NodeKind::kMin:
      return a < b ? x : y;
    case NodeKind::kMax:
      return a > b ? x : y;
    default:
      return Compare(kind, a, b);
  }
}

int64_t SaturatedToInt(double value, DataType dtype) {
  if (std::isnan(value)) return 0;
  const double whole = std::trunc(value);
  const int bits = dtype.bits();
  if (dtype.is_uint()) {
    if (whole <= 0) return 0;
    if (whole >= std::ldexp(1.0, bits)) return WrapToDType(-1, dtype);
    return FromBits(static_cast<uint64_t>(whole));
  }
  const double limit = std::ldexp(1.0, bits - 1);
  if (whole >= limit) return FromBits((uint64_t{1} << (bits - 1)) - 1);
  if (whole < -limit) return WrapToDType(FromBits(uint64_t{1} << (bits - 1)), dtype);
  return static_cast<int64_t>(whole);
}

Result Convert(const ScalarValue& value, DataType to) {
  const DataType from = value.dtype;
  to = to.element();
  if (!to.is_integer() && !to.is_floating()) return std::nullopt;
  if (to.is_bool()) return Bool(from.is_integer() ? value.integer != 0 : value.real != 0);
  if (from.is_floating()) {
    if (to.is_floating()) return ScalarValue::Float(to, value.real);
    return ScalarValue::Int(to, SaturatedToInt(value.real, to));
  }
  if (to.is_integer()) return ScalarValue::Int(to, value.integer);
  if (to.is_float() && to.bits() == 32) {
    // Convert directly from the integer: converting to double first would round twice.
    const float real = from.is_uint() ? static_cast<float>(Bits(value.integer))
                                      : static_cast<float>(value.integer);
    return ScalarValue::Float(to, static_cast<double>(real));
  }
  constexpr int64_t kExact = int64_t{1} << 53;
  if (to.bits() < 64 && (value.integer > kExact || value.integer < -kExact)) return std::nullopt;
  return ScalarValue::Float(to, from.is_uint() ? static_cast<double>(Bits(value.integer))
                                               : static_cast<double>(value.integer));
}

class Evaluator {
 public:
  explicit Evaluator(const VarValues& variables) : variables_(variables) {}

  Result Lane(const Expr* expr, int lane) {
    return WithStack([&] { return Node(expr, expr->dtype.is_scalar() ? 0 : lane); });
  }

 private:
  Result Node(const Expr* expr, int lane) {
    switch (expr->kind) {
      case NodeKind::kIntImm:
        return ScalarValue::Int(expr->dtype, cast<IntImm>(expr)->value);
      case NodeKind::kFloatImm:
        return ScalarValue::Float(expr->dtype, cast<FloatImm>(expr)->value);
      case NodeKind::kVar:
        return Variable(cast<Var>(expr));
      case NodeKind::kCast: {
        const Result value = Lane(cast<Cast>(expr)->value, lane);
        return value.has_value() ? Convert(*value, expr->dtype) : std::nullopt;
      }
      case NodeKind::kNot: {
        const Result value = Lane(cast<Not>(expr)->a, lane);
        if (!value.has_value()) return std::nullopt;
        return Bool(value->integer == 0);
      }
      case NodeKind::kSelect: {
        const auto* select = cast<Select>(expr);
        return Choice(select->condition, select->true_value, select->false_value, lane);
      }
      case NodeKind::kBroadcast:
        return Lane(cast<Broadcast>(expr)->value, 0);
      case NodeKind::kRamp: {
        const Result base = Lane(cast<Ramp>(expr)->base, 0);
        const Result stride = Lane(cast<Ramp>(expr)->stride, 0);
        if (!base.has_value() || !stride.has_value() || !base->dtype.is_integer()) {
          return std::nullopt;
        }
        return ScalarValue::Int(base->dtype,
                                FromBits(Bits(base->integer) +
                                         Bits(stride->integer) * Bits(static_cast<int64_t>(lane))));
      }
      case NodeKind::kLet: {
        const auto* let = cast<Let>(expr);
        const Result value = Lane(let->value, 0);
        if (!value.has_value()) return std::nullopt;
        lets_[let->var] = *value;
        return Lane(let->body, lane);
      }
      case NodeKind::kCall:
        return Builtin(cast<Call>(expr), lane);
      default:
        return Binary(expr, lane);
    }
  }

  Result Variable(const Var* var) const {
    if (const auto let = lets_.find(var); let != lets_.end()) return let->second;
    const auto found = variables_.find(var);
    if (found == variables_.end()) return std::nullopt;
    return found->second;
  }

  Result Choice(const Expr* condition, const Expr* a, const Expr* b, int lane) {
    const Result chosen = Lane(condition, lane);
    if (!chosen.has_value()) return std::nullopt;
    return Lane(chosen->integer != 0 ? a : b, lane);
  }

  Result Binary(const Expr* expr, int lane) {
    const auto* binary = dyn_cast<BinaryExpr>(expr);
    if (binary == nullptr) return std::nullopt;
    const Result a = Lane(binary->a, lane);
    // The second operand does not matter once the first decides an `and` or `or`.
    if (a.has_value() && isa<And>(expr) && a->integer == 0) return a;
    if (a.has_value() && isa<Or>(expr) && a->integer != 0) return a;
    const Result b = Lane(binary->b, lane);
    if (!a.has_value() || !b.has_value() || a->dtype != b->dtype) return std::nullopt;
    return a->dtype.is_integer() ? Integers(expr->kind, *a, *b) : Floats(expr->kind, *a, *b);
  }

  Result Builtin(const Call* call, int lane) {
    const OpKind op = call->op->kind;
    if (op == OpKind::kIfThenElse && call->args.size() == 3) {
      return Choice(call->args[0], call->args[1], call->args[2], lane);
    }
    if (op == OpKind::kLikely && call->args.size() == 1) return Lane(call->args[0], lane);
    if (op == OpKind::kBitwiseNot && call->args.size() == 1) {
      const Result a = Lane(call->args[0], lane);
      if (!a.has_value() || !a->dtype.is_integer()) return std::nullopt;
      return ScalarValue::Int(a->dtype, ~a->integer);
    }
    if (op == OpKind::kQMultiplyShift || op == OpKind::kQMultiplyShiftPerAxis) {
      return QMultiply(call, lane);
    }
    if (call->args.size() != 2) return std::nullopt;
    if (op != OpKind::kShiftLeft && op != OpKind::kShiftRight && op != OpKind::kBitwiseAnd &&
        op != OpKind::kBitwiseOr && op != OpKind::kBitwiseXor) {
      return std::nullopt;
    }
    const Result a = Lane(call->args[0], lane);
    const Result b = Lane(call->args[1], lane);
    if (!a.has_value() || !b.has_value() || a->dtype != b->dtype || !a->dtype.is_integer()) {
      return std::nullopt;
    }
    return BitOperation(op, *a, *b);
  }

  Result QMultiply(const Call* call, int lane) {
    std::array<int64_t, 7> arg = {};
    const bool per_axis = call->op->kind == OpKind::kQMultiplyShiftPerAxis;
    const size_t count = per_axis ? 7 : 4;
    if (call->args.size() != count) return std::nullopt;
    for (size_t i = 0; i < count; ++i) {
      const Result value = Lane(call->args[i], lane);
      if (!value.has_value() || !value->dtype.is_integer()) return std::nullopt;
      arg[i] = value->integer;
    }
    const std::optional<int64_t> result =
        per_axis ? QMultiplyShiftPerAxis(arg[0], arg[1], arg[5] != 0 ? arg[2] : 0, arg[3], arg[4])
                 : QMultiplyShift(arg[0], arg[1], arg[2], arg[3]);
    if (!result.has_value()) return std::nullopt;
    return ScalarValue::Int(call->dtype, *result);
  }

  static Result BitOperation(OpKind op, const ScalarValue& a, const ScalarValue& b) {
    const DataType dtype = a.dtype;
    switch (op) {
      case OpKind::kBitwiseAnd:
        return ScalarValue::Int(dtype, a.integer & b.integer);
      case OpKind::kBitwiseOr:
        return ScalarValue::Int(dtype, a.integer | b.integer);
      case OpKind::kBitwiseXor:
        return ScalarValue::Int(dtype, a.integer ^ b.integer);
      default:
        break;
    }
    if (Bits(b.integer) >= Bits(dtype.bits())) return std::nullopt;
    const auto amount = static_cast<int>(b.integer);
    if (op == OpKind::kShiftLeft) {
      return ScalarValue::Int(dtype, FromBits(Bits(a.integer) << amount));
    }
    return ScalarValue::Int(
        dtype, dtype.is_uint() ? FromBits(Bits(a.integer) >> amount) : a.integer >> amount);
  }

  const VarValues& variables_;
  VarValues lets_;
};

}  // namespace

ScalarValue ScalarValue::Int(DataType dtype, int64_t value) {
  dtype = dtype.element();
  return {dtype, WrapToDType(value, dtype), 0};
}

ScalarValue ScalarValue::Float(DataType dtype, double value) {
  dtype = dtype.element();
  return {dtype, 0, RoundToDType(value, dtype)};
}

double RoundToDType(double value, DataType dtype) {
  switch (dtype.code()) {
    case TypeCode::kBFloat:
      return static_cast<double>(FloatFromBFloat16(BFloat16FromDouble(value)));
    case TypeCode::kE4M3Float:
      return static_cast<double>(FloatFromFloat8E4M3(Float8E4M3FromDouble(value)));
    case TypeCode::kE5M2Float:
      return static_cast<double>(FloatFromFloat8E5M2(Float8E5M2FromDouble(value)));
    default:
      break;
  }
  if (dtype.bits() == 32) return static_cast<double>(static_cast<float>(value));
  if (dtype.bits() == 16) {
    return static_cast<double>(FloatFromFloat16(Float16FromDouble(value)));
  }
  return value;
}

std::optional<ScalarValue> EvaluateExpr(const Expr* expr, const VarValues& variables, int lane) {
  return Evaluator(variables).Lane(expr, lane);
}

}  // namespace tenon
