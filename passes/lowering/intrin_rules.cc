// Integer rules: each result is written for scalars and vectors alike, without branches, so lanes
// need no special case. Bounds of operands choose the cheapest form of a division. (TVM: the
// default rules of tir.LowerIntrin.)

#include "passes/lowering/intrin_rules.h"

#include <bit>
#include <limits>

#include "ir/builtins.h"
#include "ir/const_fold.h"

namespace tenon {

const Expr* IntrinBuilder::Binary(NodeKind kind, const Expr* a, const Expr* b) const {
  return MakeBinary(builder_, kind, a, b, range_);
}

const Expr* IntrinBuilder::Convert(DataType dtype, const Expr* value) const {
  return SmartCast(builder_, dtype, value, range_);
}

const Expr* IntrinBuilder::Int(DataType dtype, int64_t value) const {
  const DataType element = dtype.element();
  return Widen(builder_.Int(element, WrapToDType(value, element), range_), dtype.lanes());
}

const Expr* IntrinBuilder::Float(DataType dtype, double value) const {
  return Widen(builder_.New<FloatImm>(range_, dtype.element(), value), dtype.lanes());
}

const Expr* IntrinBuilder::Widen(const Expr* value, int lanes) const {
  if (lanes == 1 || !value->dtype.is_scalar()) return value;
  return builder_.New<Broadcast>(range_, value, lanes);
}

bool IntrinBuilder::IsCheap(const Expr* expr) {
  if (const auto* broadcast = dyn_cast<Broadcast>(expr)) expr = broadcast->value;
  return isa<Var>(expr) || isa<IntImm>(expr) || isa<FloatImm>(expr);
}

namespace {

/// The divisor if it is the same constant above 0 in every lane, otherwise 0.
int64_t PositiveConstant(const Expr* expr) {
  const auto* imm = dyn_cast_or_null<IntImm>(AsImmediate(expr));
  return imm != nullptr && imm->value > 0 ? imm->value : 0;
}

bool IsPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

/// The multiple of `divisor` to add to a dividend with these bounds to make it non-negative without
/// overflow; 0 if there is none.
int64_t Lift(DataType dtype, Interval bounds, int64_t divisor) {
  if (divisor == 0 || !bounds.has_min() || !bounds.has_max() || bounds.is_empty()) return 0;
  if (bounds.min < -std::numeric_limits<int64_t>::max() / 2) return 0;
  const int64_t times = (-bounds.min + divisor - 1) / divisor;
  int64_t lift = 0;
  if (__builtin_mul_overflow(times, divisor, &lift)) return 0;
  if (!FitsDType(bounds + Interval::Point(lift), dtype)) return 0;
  return FitsDType(Interval::Point(lift), dtype) ? lift : 0;
}

/// -1 in lanes where the truncated remainder is negative, otherwise 0.
const Expr* SignOf(const IntrinBuilder& make, const Expr* remainder) {
  return make.ShiftRight(remainder, remainder->dtype.bits() - 1);
}

/// True if remainder and divisor have different signs, so that truncation and floor differ.
const Expr* Differs(const IntrinBuilder& make, const Expr* remainder, const Expr* divisor) {
  const Expr* zero = make.Int(remainder->dtype, 0);
  return make.Binary(
      NodeKind::kAnd, make.Binary(NodeKind::kNE, remainder, zero),
      make.Binary(NodeKind::kLT, make.Call(OpKind::kBitwiseXor, {remainder, divisor}), zero));
}

}  // namespace

const Expr* LowerFloorDiv(const IntrinBuilder& make, const Expr* a, const Expr* b,
                          Interval a_bounds, Interval b_bounds) {
  const DataType dtype = a->dtype;
  if (dtype.is_floating()) return make.Call(OpKind::kFloor, {make.Div(a, b)});
  if (dtype.is_uint()) return make.Div(a, b);
  const int64_t divisor = PositiveConstant(b);
  if (divisor == 1) return a;
  if (IsPowerOfTwo(divisor)) {
    return make.ShiftRight(a, std::countr_zero(static_cast<uint64_t>(divisor)));
  }
  if (a_bounds.min >= 0 && (divisor > 0 || b_bounds.min >= 0)) return make.Div(a, b);
  if (const int64_t lift = Lift(dtype, a_bounds, divisor); lift > 0) {
    const Expr* quotient = make.Div(make.Add(a, make.Int(dtype, lift)), b);
    return make.Sub(quotient, make.Int(dtype, lift / divisor));
  }
  return make.Share(a, [&](const Expr* x) {
    return make.Share(b, [&](const Expr* y) {
      const Expr* quotient = make.Div(x, y);
      if (divisor > 0 || b_bounds.min >= 0) {
        return make.Add(quotient, SignOf(make, make.Mod(x, y)));
      }
      return make.Share(make.Mod(x, y), [&](const Expr* remainder) {
        return make.Choose(Differs(make, remainder, y), make.Sub(quotient, make.Int(dtype, 1)),
                           quotient);
      });
    });
  });
}

const Expr* LowerFloorMod(const IntrinBuilder& make, const Expr* a, const Expr* b,
                          Interval a_bounds, Interval b_bounds) {
  const DataType dtype = a->dtype;
  if (dtype.is_floating()) {
    return make.Share(a, [&](const Expr* x) {
      return make.Share(b, [&](const Expr* y) {
        return make.Sub(x, make.Mul(make.Call(OpKind::kFloor, {make.Div(x, y)}), y));
      });
    });
  }
  if (dtype.is_uint()) return make.Mod(a, b);
  const int64_t divisor = PositiveConstant(b);
  if (IsPowerOfTwo(divisor)) return make.And(a, make.Int(dtype, divisor - 1));
  if (a_bounds.min >= 0 && (divisor > 0 || b_bounds.min >= 0)) return make.Mod(a, b);
  if (const int64_t lift = Lift(dtype, a_bounds, divisor); lift > 0) {
    return make.Mod(make.Add(a, make.Int(dtype, lift)), b);
  }
  return make.Share(b, [&](const Expr* y) {
    return make.Share(make.Mod(a, y), [&](const Expr* remainder) {
      if (divisor > 0 || b_bounds.min >= 0) {
        return make.Add(remainder, make.And(y, SignOf(make, remainder)));
      }
      return make.Choose(Differs(make, remainder, y), make.Add(remainder, y), remainder);
    });
  });
}

namespace {

/// round(t / 2^total), half up, in int64; then the low 32 bits. `total` is a constant or an int64
/// expression.
const Expr* RoundingShift(const IntrinBuilder& make, const Expr* product, const Expr* total) {
  const DataType wide = product->dtype;
  const auto* constant = dyn_cast_or_null<IntImm>(AsImmediate(total));
  const Expr* half = nullptr;
  if (constant != nullptr) {
    if (constant->value < 1 || constant->value > 63) return nullptr;
    const uint64_t bit = uint64_t{1} << (constant->value - 1);
    half = make.Int(wide, static_cast<int64_t>(bit));
  } else {
    half = make.Call(OpKind::kShiftLeft, {make.Int(wide, 1), make.Sub(total, make.Int(wide, 1))});
  }
  const Expr* sum = make.Add(product, half);
  return make.Convert(DataType::Int(32, wide.lanes()),
                      make.Call(OpKind::kShiftRight, {sum, total}));
}

const IntImm* AsConstant(const Expr* expr) { return dyn_cast_or_null<IntImm>(AsImmediate(expr)); }

/// Addition that folds two constants.
const Expr* FoldedAdd(const IntrinBuilder& make, const Expr* a, const Expr* b) {
  const IntImm* x = AsConstant(a);
  const IntImm* y = AsConstant(b);
  if (x != nullptr && y != nullptr) return make.Int(a->dtype, x->value + y->value);
  return make.Add(a, b);
}

/// The rule for a multiplier of exactly 2^30: int32 shifts by s - 1, left, or right with rounding.
/// Null if a shift amount would be out of range.
const Expr* ShiftOnly(const IntrinBuilder& make, const Expr* x, int64_t s) {
  const int64_t left = s - 1;
  if (left == 0) return x;
  if (left > 31 || left < -31) return nullptr;
  if (left > 0) return make.Call(OpKind::kShiftLeft, {x, make.Int(x->dtype, left)});
  const int64_t half = int64_t{1} << (-left - 1);
  return make.ShiftRight(make.Add(x, make.Int(x->dtype, half)), -left);
}

}  // namespace

const Expr* LowerMultiplyShift(const IntrinBuilder& make, Span<const Expr*> args) {
  const int lanes = args[0]->dtype.lanes();
  const DataType wide = DataType::Int(64, lanes);
  const IntImm* multiplier = AsConstant(args[1]);
  const IntImm* shift = AsConstant(args[3]);
  if (multiplier != nullptr && shift != nullptr && multiplier->value == int64_t{1} << 30) {
    if (const Expr* shifted = ShiftOnly(make, args[0], shift->value)) return shifted;
  }
  const auto widen = [&](const Expr* arg) { return make.Convert(wide, make.Widen(arg, lanes)); };
  const Expr* value = widen(args[0]);
  const Expr* right = nullptr;
  if (shift != nullptr) {
    if (shift->value > 63) return nullptr;
    if (shift->value > 0) {
      value = make.Call(OpKind::kShiftLeft, {value, make.Int(wide, shift->value)});
    }
    right = make.Int(wide, std::max<int64_t>(-shift->value, 0));
  } else {
    const Expr* amount = widen(args[3]);
    const Expr* zero = make.Int(wide, 0);
    value = make.Call(OpKind::kShiftLeft, {value, make.Binary(NodeKind::kMax, amount, zero)});
    right = make.Binary(NodeKind::kMax, make.Sub(zero, amount), zero);
  }
  const Expr* product = make.Mul(value, widen(args[1]));
  return RoundingShift(make, product, FoldedAdd(make, right, widen(args[2])));
}

const Expr* LowerMultiplyShiftPerAxis(const IntrinBuilder& make, Span<const Expr*> args) {
  const int lanes = args[0]->dtype.lanes();
  const DataType wide = DataType::Int(64, lanes);
  const auto widen = [&](const Expr* arg) { return make.Convert(wide, make.Widen(arg, lanes)); };
  const Expr* value = widen(args[0]);
  if (const IntImm* required = AsConstant(args[5])) {
    if (required->value != 0) value = make.Call(OpKind::kShiftLeft, {value, widen(args[2])});
  } else {
    const Expr* amount = make.Choose(make.Convert(DataType::Bool(args[5]->dtype.lanes()), args[5]),
                                     widen(args[2]), make.Int(wide, 0));
    value = make.Call(OpKind::kShiftLeft, {value, amount});
  }
  const Expr* product = make.Mul(value, widen(args[1]));
  return RoundingShift(make, product, FoldedAdd(make, widen(args[3]), widen(args[4])));
}

}  // namespace tenon
