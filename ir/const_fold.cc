#include "ir/const_fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/half.h"

namespace tenon {

namespace {

/// The result of a rule. TIR folds and rewrites by the first matching rule of its table.
struct Folded {
  enum class Kind : uint8_t { kNone, kInt, kFloat, kBool, kA, kB };
  Kind kind = Kind::kNone;
  int64_t int_value = 0;
  double float_value = 0;
};

Folded FoldedInt(int64_t value) { return {Folded::Kind::kInt, value, 0}; }
Folded FoldedFloat(double value) { return {Folded::Kind::kFloat, 0, value}; }
Folded FoldedBool(bool value) { return {Folded::Kind::kBool, value ? 1 : 0, 0}; }
constexpr Folded kFoldedA{Folded::Kind::kA, 0, 0};
constexpr Folded kFoldedB{Folded::Kind::kB, 0, 0};

struct Operands {
  const IntImm* int_a;
  const IntImm* int_b;
  const FloatImm* float_a;
  const FloatImm* float_b;
  DataType dtype;

  bool both_int() const { return int_a != nullptr && int_b != nullptr; }
  bool both_float() const { return float_a != nullptr && float_b != nullptr; }
  /// Whether both are constants of a float dtype that TIR folds. Other float dtypes only follow the
  /// rules for 0 and 1.
  bool folds_floats() const { return both_float() && dtype.is_float() && dtype.bits() >= 32; }
  bool a_is(double value) const {
    return (int_a != nullptr && int_a->value == static_cast<int64_t>(value)) ||
           (float_a != nullptr && float_a->value == value);
  }
  bool b_is(double value) const {
    return (int_b != nullptr && int_b->value == static_cast<int64_t>(value)) ||
           (float_b != nullptr && float_b->value == value);
  }
};

/// The result of float arithmetic, rounded to the dtype as in TIR.
Folded RoundedFloat(DataType dtype, double value) {
  return FoldedFloat(dtype.bits() == 32 ? static_cast<double>(static_cast<float>(value)) : value);
}

int64_t WrappingAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t WrappingSub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t WrappingMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// Quotient and remainder by a divisor other than 0. INT64_MIN / -1 wraps.
int64_t TruncatedQuotient(int64_t a, int64_t b, DataType dtype) {
  if (dtype.is_uint())
    return static_cast<int64_t>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b));
  return b == -1 ? WrappingSub(0, a) : a / b;
}
int64_t TruncatedRemainder(int64_t a, int64_t b, DataType dtype) {
  if (dtype.is_uint())
    return static_cast<int64_t>(static_cast<uint64_t>(a) % static_cast<uint64_t>(b));
  return b == -1 ? 0 : a % b;
}
int64_t FloorQuotient(int64_t a, int64_t b, DataType dtype) {
  const int64_t quotient = TruncatedQuotient(a, b, dtype);
  const int64_t remainder = TruncatedRemainder(a, b, dtype);
  return dtype.is_int() && remainder != 0 && (remainder < 0) != (b < 0) ? quotient - 1 : quotient;
}
int64_t FloorRemainder(int64_t a, int64_t b, DataType dtype) {
  const int64_t remainder = TruncatedRemainder(a, b, dtype);
  return dtype.is_int() && remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

Folded FoldAdd(const Operands& x) {
  if (x.both_int()) return FoldedInt(WrappingAdd(x.int_a->value, x.int_b->value));
  if (x.a_is(0)) return kFoldedB;
  if (x.b_is(0)) return kFoldedA;
  if (x.folds_floats()) return RoundedFloat(x.dtype, x.float_a->value + x.float_b->value);
  return {};
}

Folded FoldSub(const Operands& x) {
  if (x.both_int()) return FoldedInt(WrappingSub(x.int_a->value, x.int_b->value));
  if (x.b_is(0)) return kFoldedA;
  if (x.folds_floats()) return RoundedFloat(x.dtype, x.float_a->value - x.float_b->value);
  return {};
}

Folded FoldMul(const Operands& x) {
  if (x.both_int()) return FoldedInt(WrappingMul(x.int_a->value, x.int_b->value));
  if (x.a_is(1)) return kFoldedB;
  if (x.b_is(1)) return kFoldedA;
  if (x.a_is(0)) return kFoldedA;
  if (x.b_is(0)) return kFoldedB;
  if (x.folds_floats()) return RoundedFloat(x.dtype, x.float_a->value * x.float_b->value);
  return {};
}

Folded FoldDivision(const Operands& x, bool floor) {
  if (x.b_is(0)) return {};
  if (x.both_int()) {
    return FoldedInt(floor ? FloorQuotient(x.int_a->value, x.int_b->value, x.dtype)
                           : TruncatedQuotient(x.int_a->value, x.int_b->value, x.dtype));
  }
  if (x.a_is(0)) return kFoldedA;
  if (x.b_is(1)) return kFoldedA;
  if (x.folds_floats()) {
    const double quotient = x.float_a->value / x.float_b->value;
    return RoundedFloat(x.dtype, floor ? std::floor(quotient) : quotient);
  }
  return {};
}

Folded FoldRemainder(const Operands& x, bool floor) {
  if (!x.dtype.is_int() || !x.dtype.is_scalar() || x.dtype.bits() < 32 || x.b_is(0)) return {};
  if (x.both_int()) {
    return FoldedInt(floor ? FloorRemainder(x.int_a->value, x.int_b->value, x.dtype)
                           : TruncatedRemainder(x.int_a->value, x.int_b->value, x.dtype));
  }
  if (x.a_is(0)) return kFoldedA;
  if (x.b_is(1)) return FoldedInt(0);
  return {};
}

Folded FoldMinMax(const Operands& x, const Expr* a, const Expr* b, bool min) {
  if (a == b) return kFoldedA;
  if (x.both_int()) {
    const bool less = x.dtype.is_uint() ? static_cast<uint64_t>(x.int_a->value) <
                                              static_cast<uint64_t>(x.int_b->value)
                                        : x.int_a->value < x.int_b->value;
    return less == min ? kFoldedA : kFoldedB;
  }
  if (x.folds_floats()) {
    return FoldedFloat(min ? std::min(x.float_a->value, x.float_b->value)
                           : std::max(x.float_a->value, x.float_b->value));
  }
  return {};
}

template <class T>
bool Compare(NodeKind kind, T a, T b) {
  switch (kind) {
    case NodeKind::kEQ:
      return a == b;
    case NodeKind::kNE:
      return a != b;
    case NodeKind::kLT:
      return a < b;
    case NodeKind::kLE:
      return a <= b;
    case NodeKind::kGT:
      return a > b;
    default:
      return a >= b;
  }
}

Folded FoldComparison(NodeKind kind, const Operands& x) {
  if (x.both_int()) {
    if (x.dtype.is_uint()) {
      return FoldedBool(Compare(kind, static_cast<uint64_t>(x.int_a->value),
                                static_cast<uint64_t>(x.int_b->value)));
    }
    return FoldedBool(Compare(kind, x.int_a->value, x.int_b->value));
  }
  if (x.folds_floats()) return FoldedBool(Compare(kind, x.float_a->value, x.float_b->value));
  return {};
}

Folded FoldLogical(const Operands& x, bool is_and) {
  if (x.int_a != nullptr) return (x.int_a->value != 0) == is_and ? kFoldedB : kFoldedA;
  if (x.int_b != nullptr) return (x.int_b->value != 0) == is_and ? kFoldedA : kFoldedB;
  return {};
}

Folded Fold(NodeKind kind, const Expr* a, const Expr* b) {
  const Operands x{dyn_cast<IntImm>(a), dyn_cast<IntImm>(b), dyn_cast<FloatImm>(a),
                   dyn_cast<FloatImm>(b), a->dtype};
  switch (kind) {
    case NodeKind::kAdd:
      return FoldAdd(x);
    case NodeKind::kSub:
      return FoldSub(x);
    case NodeKind::kMul:
      return FoldMul(x);
    case NodeKind::kDiv:
      return FoldDivision(x, /*floor=*/false);
    case NodeKind::kFloorDiv:
      return FoldDivision(x, /*floor=*/true);
    case NodeKind::kMod:
      return FoldRemainder(x, /*floor=*/false);
    case NodeKind::kFloorMod:
      return FoldRemainder(x, /*floor=*/true);
    case NodeKind::kMin:
      return FoldMinMax(x, a, b, /*min=*/true);
    case NodeKind::kMax:
      return FoldMinMax(x, a, b, /*min=*/false);
    case NodeKind::kAnd:
      return FoldLogical(x, /*is_and=*/true);
    case NodeKind::kOr:
      return FoldLogical(x, /*is_and=*/false);
    default:
      return FoldComparison(kind, x);
  }
}

}  // namespace

bool Holds(NodeKind comparison, int64_t a, int64_t b) { return Compare(comparison, a, b); }
bool Holds(NodeKind comparison, double a, double b) { return Compare(comparison, a, b); }

std::optional<uint64_t> LargeUIntValue(const Call* call) {
  const int64_t* low = AsIntImm(call->args[0]);
  const int64_t* high = AsIntImm(call->args[1]);
  if (low == nullptr || high == nullptr) return std::nullopt;
  return static_cast<uint64_t>(*high) << 32 | static_cast<uint32_t>(*low);
}

int64_t WrapToDType(int64_t value, DataType dtype) {
  if (dtype.bits() >= 64) return value;
  const int shift = 64 - dtype.bits();
  const auto raised = static_cast<int64_t>(static_cast<uint64_t>(value) << shift);
  return dtype.is_uint() ? static_cast<int64_t>(static_cast<uint64_t>(raised) >> shift)
                         : raised >> shift;
}

bool WouldConstFold(NodeKind kind, const Expr* a, const Expr* b) {
  return Fold(kind, a, b).kind != Folded::Kind::kNone;
}

const Expr* TryConstFold(NodeBuilder& builder, NodeKind kind, const Expr* a, const Expr* b) {
  const Folded folded = Fold(kind, a, b);
  const SourceRange range{a->range.begin, b->range.end};
  switch (folded.kind) {
    case Folded::Kind::kNone:
      return nullptr;
    case Folded::Kind::kInt:
      return builder.Int(a->dtype, WrapToDType(folded.int_value, a->dtype), range);
    case Folded::Kind::kFloat:
      return builder.New<FloatImm>(range, a->dtype, folded.float_value);
    case Folded::Kind::kBool:
      return builder.Bool(folded.int_value != 0, range);
    case Folded::Kind::kA:
      return a;
    case Folded::Kind::kB:
      return b;
  }
  return nullptr;
}

const Expr* MakeBinary(NodeBuilder& builder, NodeKind kind, const Expr* a, const Expr* b,
                       SourceRange range) {
  switch (kind) {
#define TENON_BINARY_EXPR(Name) \
  case NodeKind::k##Name:       \
    return builder.New<Name>(range, a, b);
#include "ir/nodes.def"
    default:
      TENON_UNREACHABLE();
  }
}

/// Whether the dtype can represent the number: an immediate keeps the number in the text.
static bool IsExact(const FloatImm& imm) {
  const double value = imm.value;
  double rounded = value;
  if (imm.dtype == DataType::Float(32)) {
    rounded = static_cast<double>(static_cast<float>(value));
  } else if (imm.dtype == DataType::Float(16)) {
    rounded = static_cast<double>(FloatFromFloat16(Float16FromDouble(value)));
  } else if (imm.dtype.is_bfloat16()) {
    rounded = static_cast<double>(FloatFromBFloat16(BFloat16FromDouble(value)));
  } else if (imm.dtype.code() == TypeCode::kE4M3Float) {
    rounded = static_cast<double>(FloatFromFloat8E4M3(Float8E4M3FromDouble(value)));
  } else if (imm.dtype.is_float8()) {
    rounded = static_cast<double>(FloatFromFloat8E5M2(Float8E5M2FromDouble(value)));
  }
  return rounded == value || (std::isnan(rounded) && std::isnan(value));
}

const Expr* SmartCast(NodeBuilder& builder, DataType dtype, const Expr* value, SourceRange range) {
  if (value->dtype == dtype) return value;
  if (!range.valid()) range = value->range;
  if (dtype.is_scalar()) {
    if (const auto* imm = dyn_cast<IntImm>(value)) {
      if (dtype.is_bool()) return builder.Bool(imm->value != 0, range);
      if (dtype.is_integer()) return builder.Int(dtype, WrapToDType(imm->value, dtype), range);
      if (dtype.is_float()) {
        const double exact = imm->dtype.is_uint()
                                 ? static_cast<double>(static_cast<uint64_t>(imm->value))
                                 : static_cast<double>(imm->value);
        return builder.New<FloatImm>(range, dtype, exact);
      }
    }
    const auto* real = dyn_cast<FloatImm>(value);
    if (real != nullptr && dtype.is_float())
      return builder.New<FloatImm>(range, dtype, real->value);
    if (real != nullptr && dtype.is_integer() && IsExact(*real)) {
      if (dtype.is_bool()) return builder.Bool(real->value != 0, range);
      // Values out of range saturate; a folding pass does that.
      const double whole = std::trunc(real->value);
      const double end =
          std::ldexp(1.0, dtype.is_int() ? dtype.bits() - 1 : std::min(dtype.bits(), 63));
      if (whole >= (dtype.is_int() ? -end : 0) && whole < end)
        return builder.Int(dtype, static_cast<int64_t>(whole), range);
    }
    return builder.New<Cast>(range, dtype, value);
  }
  if (value->dtype.is_scalar()) {
    return builder.New<Broadcast>(range, SmartCast(builder, dtype.element(), value, range),
                                  dtype.lanes());
  }
  if (const auto* broadcast = dyn_cast<Broadcast>(value)) {
    const Expr* inner = SmartCast(builder, dtype.element(), broadcast->value, range);
    return builder.New<Broadcast>(range, inner, dtype.lanes());
  }
  const auto* ramp = dyn_cast<Ramp>(value);
  if (ramp != nullptr && dtype.is_integer() && !dtype.is_bool()) {
    return builder.New<Ramp>(range, SmartCast(builder, dtype.element(), ramp->base, range),
                             SmartCast(builder, dtype.element(), ramp->stride, range),
                             dtype.lanes());
  }
  return builder.New<Cast>(range, dtype, value);
}

std::optional<std::string> MatchTypes(NodeBuilder& builder, const Expr** a, const Expr** b) {
  DataType x = (*a)->dtype;
  DataType y = (*b)->dtype;
  if (x == y) return std::nullopt;
  const auto mismatch = [&] {
    return fmt::format("operands have dtypes `{}` and `{}`", (*a)->dtype.ToString(),
                       (*b)->dtype.ToString());
  };
  if ((x.code() == TypeCode::kHandle) || (y.code() == TypeCode::kHandle)) return mismatch();
  if (x.lanes() != y.lanes()) {
    if (x.is_scalar()) {
      *a = builder.New<Broadcast>((*a)->range, *a, y.lanes());
    } else if (y.is_scalar()) {
      *b = builder.New<Broadcast>((*b)->range, *b, x.lanes());
    } else {
      return mismatch();
    }
    x = (*a)->dtype;
    y = (*b)->dtype;
    if (x == y) return std::nullopt;
  }
  DataType common = x;
  if (x.is_floating() && y.is_floating()) {
    common = x.bits() >= y.bits() ? x : y;
  } else if (x.is_floating()) {
    common = x;
  } else if (y.is_floating()) {
    common = y;
  } else if (x.code() == y.code() || x.bits() != y.bits()) {
    common = x.bits() >= y.bits() ? x : y;
  } else {
    common = x.is_uint() ? x : y;
  }
  *a = SmartCast(builder, common, *a);
  *b = SmartCast(builder, common, *b);
  return std::nullopt;
}

const Expr* Operator(NodeBuilder& builder, NodeKind kind, const Expr* a, const Expr* b,
                     SourceRange range, std::string* error) {
  if (kind == NodeKind::kAnd || kind == NodeKind::kOr) {
    if (!a->dtype.is_bool() || !b->dtype.is_bool()) {
      *error =
          fmt::format("operands of a logical operator have dtypes `{}` and `{}`, expected bool",
                      a->dtype.ToString(), b->dtype.ToString());
      return nullptr;
    }
  }
  if (std::optional<std::string> mismatch = MatchTypes(builder, &a, &b)) {
    *error = *std::move(mismatch);
    return nullptr;
  }
  if (const Expr* folded = TryConstFold(builder, kind, a, b)) return folded;
  return MakeBinary(builder, kind, a, b, range);
}

const Expr* AsImmediate(const Expr* expr) {
  if (const auto* broadcast = dyn_cast_or_null<Broadcast>(expr)) expr = broadcast->value;
  return expr != nullptr && (isa<IntImm>(expr) || isa<FloatImm>(expr)) ? expr : nullptr;
}

}  // namespace tenon
