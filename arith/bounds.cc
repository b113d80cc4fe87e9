#include <algorithm>

#include "arith/simplifier.h"
#include "ir/builtins.h"
#include "ir/q_multiply_shift.h"
#include "support/check.h"

namespace tenon {

namespace {

/// Limits on the number of facts tried on a form, the latest first, and on how many are combined.
constexpr size_t kMostFacts = 24;
constexpr int kDepthOfFacts = 2;
constexpr size_t kMostTerms = 8;
/// The limit on nested choices to look into. Each scope has a separate memory of bounds, so a long
/// chain of choices would be analysed once for each of its scopes.
constexpr int kMostChoices = 8;

int64_t CoefficientOf(const LinearForm& form, const Expr* atom) {
  for (const LinearTerm& term : form.terms) {
    if (term.atom == atom) return term.coefficient;
  }
  return 0;
}

/// The smallest 2^k - 1 that is at least `value`, which is not negative.
int64_t MaskFor(int64_t value) {
  uint64_t mask = static_cast<uint64_t>(value);
  for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  return static_cast<int64_t>(mask);
}

/// [0, lanes): how often a Ramp's stride is added; unbounded for scalable lanes.
Interval LaneNumbers(DataType dtype) {
  return {0, dtype.is_scalable() ? Interval::kPlusInf : std::max(dtype.lanes(), 1) - 1};
}

/// The possible results of QMultiplyShiftPerAxis (ir/q_multiply_shift.h); all of int32 if unknown.
Interval QMultiplyShiftBounds(Interval x, Interval y, Interval left, Interval right, Interval q) {
  const Interval all = Interval::OfDType(DataType::Int(32));
  if (left.min < 0 || left.max > 31) return all;
  const Interval product = x * y * Interval{int64_t{1} << left.min, int64_t{1} << left.max};
  // An undefined shift is an error, and gives no value.
  const Interval total = Intersect(right + q, {1, Interval::kPlusInf});
  if (product.is_empty() || total.is_empty()) return Interval::Empty();
  Interval values = total.max > 62 ? Interval{-1, 0} : Interval::Empty();
  for (int64_t shift = total.min; shift <= std::min<int64_t>(total.max, 62); ++shift) {
    const Interval rounded = product + Interval::Point(int64_t{1} << (shift - 1));
    if (!rounded.is_bounded()) return all;
    values = Unite(values, FloorDivide(rounded, Interval::Point(int64_t{1} << shift)));
  }
  return FitsDType(values, DataType::Int(32)) ? values : all;
}

/// The possible results of QMultiplyByOneHalf; all of int32 if unknown.
Interval QMultiplyByOneHalfBounds(Interval x, Interval s) {
  const DataType int32 = DataType::Int(32);
  const Interval all = Interval::OfDType(int32);
  if (!s.is_point() || s.min < -30 || s.min > 32) return all;
  const int64_t exponent = s.min - 1;
  Interval values = x;
  if (exponent > 0) values = x * Interval::Point(int64_t{1} << exponent);
  if (exponent < 0) values = x + Interval::Point(int64_t{1} << (-exponent - 1));
  if (!FitsDType(values, int32)) return all;
  return exponent < 0 ? FloorDivide(values, Interval::Point(int64_t{1} << -exponent)) : values;
}

}  // namespace

Interval Simplifier::Wrapped(Interval exact, DataType dtype) const {
  if (exact.is_empty()) return exact;
  const Interval range = Interval::OfDType(dtype);
  if (AssumesNoOverflow(dtype)) return Intersect(exact, range);
  if (range.Contains(exact) && (exact.is_bounded() || dtype.bits() < 63)) return exact;
  return range;
}

Interval Simplifier::SumOfBounds(const LinearForm& form) {
  Interval sum = Interval::Point(form.constant);
  for (const LinearTerm& term : form.terms) {
    sum = sum + Bounds(term.atom) * Interval::Point(term.coefficient);
  }
  return sum;
}

Interval Simplifier::FormBounds(const LinearForm& form) {
  const Interval sum = SumOfBounds(form);
  if (facts_.empty() || form.terms.size() < 2 || form.terms.size() > kMostTerms) return sum;
  LinearForm exact = form;
  exact.dtype = DataType::Int(64);
  exact.wrapped = false;
  return RefineByFacts(exact, sum, kDepthOfFacts);
}

Interval Simplifier::RefineByFacts(const LinearForm& form, Interval values, int depth) {
  const size_t first = facts_.size() > kMostFacts ? facts_.size() - kMostFacts : 0;
  for (size_t i = facts_.size(); i-- > first;) {
    const Fact& fact = facts_[i];
    // Subtract the multiple of the fact that cancels one of its atoms.
    for (const LinearTerm& term : fact.form.terms) {
      const int64_t have = CoefficientOf(form, term.atom);
      if (have == 0 || have == Interval::kMinusInf || have % term.coefficient != 0) continue;
      const int64_t times = have / term.coefficient;
      const LinearForm rest = Combine(table_, form, fact.form, -times);
      if (rest.wrapped || rest.terms.size() > form.terms.size()) continue;
      Interval remaining = SumOfBounds(rest);
      if (depth > 1 && rest.terms.size() > 1) {
        remaining = RefineByFacts(rest, remaining, depth - 1);
      }
      values = Intersect(values, remaining + fact.values * Interval::Point(times));
      break;
    }
  }
  return values;
}

bool Simplifier::MakeExact(LinearForm& form) {
  if (form.is_atom()) return true;
  const Interval values = FormBounds(form);
  if (FitsDType(values, form.dtype)) return true;
  const int bits = form.dtype.bits();
  if (bits < 62 && values.is_bounded()) {
    // The multiple of 2^bits that brings the lower end into the range.
    const Interval range = Interval::OfDType(form.dtype);
    const __int128 modulus = static_cast<__int128>(1) << bits;
    const __int128 above = static_cast<__int128>(values.min) - range.min;
    __int128 times = above / modulus;
    if (above < 0 && above % modulus != 0) --times;
    const __int128 moved = -times * modulus;
    const __int128 constant = form.constant + moved;
    if (values.max + moved <= range.max && constant > Interval::kMinusInf &&
        constant < Interval::kPlusInf) {
      form.constant = static_cast<int64_t>(constant);
      return true;
    }
  }
  return AssumesNoOverflow(form.dtype) && !form.wrapped;
}

std::optional<LinearForm> Simplifier::Difference(const Expr* a, const Expr* b) {
  LinearForm x = LinearOf(table_, a);
  LinearForm y = LinearOf(table_, b);
  if (!MakeExact(x) || !MakeExact(y)) return std::nullopt;
  x.dtype = DataType::Int(64);
  y.dtype = x.dtype;
  x.wrapped = y.wrapped = false;
  LinearForm difference = Combine(table_, x, y, -1);
  if (difference.wrapped) return std::nullopt;
  return difference;
}

Interval Simplifier::DifferenceBounds(const Expr* a, const Expr* b) {
  const Interval apart = Bounds(a) - Bounds(b);
  const std::optional<LinearForm> difference = Difference(a, b);
  return difference.has_value() ? Intersect(apart, FormBounds(*difference)) : apart;
}

Interval Simplifier::Bounds(const Expr* expr) {
  const auto found = frame().bounds.find(expr);
  if (found != frame().bounds.end()) return found->second;
  Interval values = Interval::OfDType(expr->dtype);
  if (!expr->dtype.is_integer()) return values;
  const auto known = known_.find(expr);
  if (known != known_.end()) values = Intersect(values, known->second);
  // Facts may lead from an expression to one that contains it, which then uses these bounds.
  frame().bounds[expr] = values;
  values = Intersect(values, WithStack([&] { return BoundsOfNode(expr); }));
  frame().bounds[expr] = values;
  return values;
}

Interval Simplifier::BoundsOfSum(const BinaryExpr* expr) {
  const DataType dtype = expr->dtype;
  if (dtype.is_scalar() && !dtype.is_bool()) {
    LinearForm form = LinearOf(table_, expr);
    if (form.terms.size() != 1 || form.terms[0].atom != expr) {
      const bool exact = MakeExact(form);
      const Interval values = FormBounds(form);
      return exact ? Intersect(values, Interval::OfDType(dtype)) : Wrapped(values, dtype);
    }
  }
  const Interval a = Bounds(expr->a);
  const Interval b = Bounds(expr->b);
  if (expr->kind == NodeKind::kMul) return Wrapped(a * b, dtype);
  return Wrapped(expr->kind == NodeKind::kSub ? a - b : a + b, dtype);
}

Interval Simplifier::BoundsOfBinary(const BinaryExpr* expr) {
  const DataType dtype = expr->dtype;
  const NodeKind kind = expr->kind;
  if (kind == NodeKind::kAdd || kind == NodeKind::kSub || kind == NodeKind::kMul) {
    return BoundsOfSum(expr);
  }
  // Comparisons and logic can give any bool.
  if (kind > NodeKind::kMax) return Interval::OfDType(dtype);
  const Interval a = Bounds(expr->a);
  const Interval b = Bounds(expr->b);
  switch (kind) {
    case NodeKind::kFloorDiv:
    case NodeKind::kDiv: {
      const Interval exact = kind == NodeKind::kDiv ? TruncDivide(a, b) : FloorDivide(a, b);
      // Only the lowest value divided by -1 wraps.
      const bool wraps = b.Contains(-1) && a.min <= Interval::OfDType(dtype).min;
      return wraps ? Wrapped(exact, dtype) : exact;
    }
    case NodeKind::kFloorMod:
      return FloorRemainder(a, b);
    case NodeKind::kMod:
      return TruncRemainder(a, b);
    case NodeKind::kMin:
      return MinOf(a, b);
    default:
      TENON_CHECK(kind == NodeKind::kMax);
      return MaxOf(a, b);
  }
}

Interval Simplifier::BoundsOfCast(const Cast* expr) {
  const DataType from = expr->value->dtype;
  const Interval range = Interval::OfDType(expr->dtype);
  if (!from.is_integer() || expr->dtype.is_bool()) return range;
  const Interval values = Bounds(expr->value);
  // For a uint64, infinity may be any value with the top bit set.
  const bool known = values.is_bounded() || from.is_int();
  return known && range.Contains(values) ? values : range;
}

Interval Simplifier::BoundsOfNode(const Expr* expr) {
  const DataType dtype = expr->dtype;
  if (const auto* binary = dyn_cast<BinaryExpr>(expr)) return BoundsOfBinary(binary);
  switch (expr->kind) {
    case NodeKind::kIntImm: {
      const int64_t value = cast<IntImm>(expr)->value;
      if (value < 0 && dtype.is_uint()) return Interval::OfDType(dtype);
      return Interval::Point(value);
    }
    case NodeKind::kVar: {
      Interval values = Interval::OfDType(dtype);
      if (cast<Var>(expr)->is_size_var()) values.min = std::max<int64_t>(values.min, 0);
      if (facts_.empty() || !dtype.is_scalar()) return values;
      LinearForm self;
      self.dtype = DataType::Int(64);
      self.terms = {{expr, 1}};
      return RefineByFacts(self, values, 1);
    }
    case NodeKind::kBufferLoad: {
      const auto found = elements_.find(cast<BufferLoad>(expr)->buffer->data);
      return found == elements_.end() ? Interval::OfDType(dtype) : found->second;
    }
    case NodeKind::kSelect:
      return BoundsOfChoice(cast<Select>(expr)->true_value, cast<Select>(expr)->false_value);
    case NodeKind::kCast:
      return BoundsOfCast(cast<Cast>(expr));
    case NodeKind::kBroadcast:
      return Bounds(cast<Broadcast>(expr)->value);
    case NodeKind::kRamp: {
      const auto* ramp = cast<Ramp>(expr);
      return Wrapped(Bounds(ramp->base) + Bounds(ramp->stride) * LaneNumbers(dtype), dtype);
    }
    case NodeKind::kShuffle: {
      Interval all = Interval::Empty();
      for (const Expr* vector : cast<Shuffle>(expr)->vectors) all = Unite(all, Bounds(vector));
      return all;
    }
    case NodeKind::kLet:
      // Ignores the let's value: good enough, and needs no scope.
      if (known_.contains(cast<Let>(expr)->var)) return Interval::OfDType(dtype);
      return BoundsOfChoice(cast<Let>(expr)->body, cast<Let>(expr)->body);
    case NodeKind::kCall:
      return BoundsOfCall(cast<Call>(expr));
    default:
      return Interval::OfDType(dtype);
  }
}

Interval Simplifier::BoundsOfChoice(const Expr* a, const Expr* b) {
  if (choices_ >= kMostChoices) return Interval::OfDType(a->dtype);
  ++choices_;
  const Interval either = Unite(Bounds(a), Bounds(b));
  --choices_;
  return either;
}

Interval Simplifier::BoundsOfCall(const Call* call) {
  const DataType dtype = call->dtype;
  const auto arg = [&](size_t i) { return Bounds(call->args[i]); };
  const auto integers = [&](size_t count) {
    if (call->args.size() != count) return false;
    return std::all_of(call->args.begin(), call->args.end(),
                       [](const Expr* e) { return e->dtype.is_integer(); });
  };
  switch (call->op->kind) {
    case OpKind::kIfThenElse:
      return BoundsOfChoice(call->args[1], call->args[2]);
    case OpKind::kLikely:
      return call->args.size() == 1 ? arg(0) : Interval::OfDType(dtype);
    case OpKind::kBitwiseAnd: {
      if (!integers(2)) break;
      const Interval a = arg(0);
      const Interval b = arg(1);
      if (a.min < 0 && b.min < 0) break;
      int64_t most = Interval::kPlusInf;
      if (a.min >= 0) most = std::min(most, a.max);
      if (b.min >= 0) most = std::min(most, b.max);
      return {0, most};
    }
    case OpKind::kBitwiseOr:
    case OpKind::kBitwiseXor: {
      if (!integers(2)) break;
      const Interval a = arg(0);
      const Interval b = arg(1);
      if (a.min < 0 || b.min < 0) break;
      const int64_t least = call->op->kind == OpKind::kBitwiseOr ? std::max(a.min, b.min) : 0;
      return {least, MaskFor(std::max(a.max, b.max))};
    }
    case OpKind::kShiftRight: {
      if (!integers(2)) break;
      const Interval amount = Intersect(arg(1), {0, 62});
      if (amount.is_empty()) break;
      return FloorDivide(arg(0), {int64_t{1} << amount.min, int64_t{1} << amount.max});
    }
    case OpKind::kShiftLeft: {
      if (!integers(2)) break;
      const Interval amount = arg(1);
      if (amount.is_empty() || amount.min < 0 || amount.max > 62) break;
      return Wrapped(arg(0) * Interval{int64_t{1} << amount.min, int64_t{1} << amount.max}, dtype);
    }
    case OpKind::kQMultiplyShift:
      return integers(4) ? BoundsOfQMultiplyShift(call) : Interval::OfDType(dtype);
    case OpKind::kQMultiplyShiftPerAxis:
      return integers(7) ? BoundsOfQMultiplyShiftPerAxis(call) : Interval::OfDType(dtype);
    case OpKind::kClz:
    case OpKind::kPopcount:
      return integers(1) ? Interval{0, call->args[0]->dtype.bits()} : Interval::OfDType(dtype);
    default:
      break;
  }
  return Interval::OfDType(dtype);
}

Interval Simplifier::BoundsOfQMultiplyShift(const Call* call) {
  const Interval x = Bounds(call->args[0]);
  const Interval y = Bounds(call->args[1]);
  const Interval q = Bounds(call->args[2]);
  const Interval s = Bounds(call->args[3]);
  const Interval zero = Interval::Point(0);
  const Interval halves =
      y.Contains(kQOneHalf) ? QMultiplyByOneHalfBounds(x, s) : Interval::Empty();
  if (y == Interval::Point(kQOneHalf)) return halves;
  return Unite(halves, QMultiplyShiftBounds(x, y, MaxOf(s, zero), MaxOf(-s, zero), q));
}

Interval Simplifier::BoundsOfQMultiplyShiftPerAxis(const Call* call) {
  const auto arg = [&](size_t i) { return Bounds(call->args[i]); };
  const Interval zero = Interval::Point(0);
  // Whether the left shift applies.
  const Interval uses_left = arg(5);
  Interval left = uses_left == zero ? zero : arg(2);
  if (uses_left.Contains(0)) left = Unite(left, zero);
  return QMultiplyShiftBounds(arg(0), arg(1), left, arg(3), arg(4));
}

bool Simplifier::ProvenNoWrap(const BinaryExpr* expr) {
  const DataType dtype = expr->dtype;
  if (!dtype.is_integer() || dtype.is_bool()) return false;
  const auto is = [&](NodeKind kind) { return expr->kind == kind; };
  const Interval a = Bounds(expr->a);
  const Interval b = Bounds(expr->b);
  Interval exact;
  if (is(NodeKind::kAdd) || is(NodeKind::kSub)) {
    exact = is(NodeKind::kAdd) ? a + b : a - b;
    if (dtype.is_scalar()) {
      LinearForm x = LinearOf(table_, expr->a);
      LinearForm y = LinearOf(table_, expr->b);
      if (MakeExact(x) && MakeExact(y)) {
        x.dtype = y.dtype = DataType::Int(64);
        x.wrapped = y.wrapped = false;
        const LinearForm sum = Combine(table_, x, y, is(NodeKind::kAdd) ? 1 : -1);
        if (!sum.wrapped) exact = Intersect(exact, FormBounds(sum));
      }
    }
  } else if (is(NodeKind::kMul)) {
    exact = a * b;
  } else if (is(NodeKind::kDiv) || is(NodeKind::kFloorDiv)) {
    exact = is(NodeKind::kDiv) ? TruncDivide(a, b) : FloorDivide(a, b);
    if (b.min >= 1 || b.max < -1 || a.min > Interval::OfDType(dtype).min) return true;
  } else {
    return is(NodeKind::kMod) || is(NodeKind::kFloorMod) || is(NodeKind::kMin) ||
           is(NodeKind::kMax);
  }
  return AssumesNoOverflow(dtype) || FitsDType(exact, dtype);
}

}  // namespace tenon
