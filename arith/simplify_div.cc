#include <numeric>

#include "arith/simplifier.h"
#include "ir/const_fold.h"

namespace tenon {

namespace {

/// floor(values / divisor), if all values lie within one multiple of the divisor.
std::optional<int64_t> OneQuotient(const Interval& values, int64_t divisor) {
  if (!values.is_bounded() || values.is_empty()) return std::nullopt;
  const int64_t low = FloorDivide(values.min, divisor);
  if (low != FloorDivide(values.max, divisor)) return std::nullopt;
  return low;
}

/// A constant divisor greater than 1, or 0.
int64_t PositiveConstant(const Expr* divisor) {
  const int64_t* imm = AsIntImm(divisor);
  return imm != nullptr && *imm > 1 ? *imm : 0;
}

bool IsPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

}  // namespace

const Expr* Simplifier::StepDivision(NodeKind kind, const Expr* a, const Expr* b) {
  if (!a->dtype.is_scalar()) return VectorDivision(kind, a, b);
  const bool quotient = kind == NodeKind::kDiv || kind == NodeKind::kFloorDiv;
  const bool floor = kind == NodeKind::kFloorDiv || kind == NodeKind::kFloorMod;
  if (IsConstInt(b, 1)) return quotient ? a : table_.Int(a->dtype, 0);
  if (IsConstInt(a, 0) && !Bounds(b).Contains(0)) return a;
  if (IsConstInt(b, -1) && b->dtype.is_int()) {
    return quotient ? Simplify(table_.Make<Sub>(table_.Int(a->dtype, 0), a))
                    : table_.Int(a->dtype, 0);
  }
  const Interval divisors = Bounds(b);
  if (a == b && !divisors.Contains(0)) return table_.Int(a->dtype, quotient ? 1 : 0);
  // For non-negative operands both roundings are equal.
  if (!floor && Bounds(a).min >= 0 && divisors.min >= 1) {
    return Simplify(table_.MakeBinary(quotient ? NodeKind::kFloorDiv : NodeKind::kFloorMod, a, b));
  }
  if (!floor) return table_.MakeBinary(kind, a, b);
  return quotient ? StepFloorDiv(a, b) : StepFloorMod(a, b);
}

const Expr* Simplifier::StepFloorDiv(const Expr* a, const Expr* b) {
  const int64_t divisor = PositiveConstant(b);
  if (divisor != 0) return FloorDivByConstant(a, divisor);
  const Interval values = Bounds(a);
  const Interval divisors = Bounds(b);
  if (values.min >= 0 && divisors.min >= 1 && DifferenceBounds(a, b).max < 0) {
    return table_.Int(a->dtype, 0);
  }
  return table_.Make<FloorDiv>(a, b);
}

const Expr* Simplifier::StepFloorMod(const Expr* a, const Expr* b) {
  const int64_t divisor = PositiveConstant(b);
  if (divisor != 0) return FloorModByConstant(a, divisor);
  const Interval values = Bounds(a);
  const Interval divisors = Bounds(b);
  if (values.min >= 0 && divisors.min >= 1 && DifferenceBounds(a, b).max < 0) return a;
  return table_.Make<FloorMod>(a, b);
}

const Expr* Simplifier::FloorDivByConstant(const Expr* a, int64_t divisor) {
  const DataType dtype = a->dtype;
  const std::optional<int64_t> one = OneQuotient(Bounds(a), divisor);
  if (one.has_value()) return table_.Int(dtype, *one);
  // (x // c) // d is x // (c * d).
  if (const auto* inner = dyn_cast<FloorDiv>(a)) {
    const int64_t first = PositiveConstant(inner->b);
    int64_t both = 0;
    if (first != 0 && !__builtin_mul_overflow(first, divisor, &both) &&
        WrapToDType(both, dtype) == both && both > 0) {
      return Simplify(table_.Make<FloorDiv>(inner->a, table_.Int(dtype, both)));
    }
  }
  // (x % (c * d)) // c is (x // c) % d.
  if (const auto* inner = dyn_cast<FloorMod>(a)) {
    const int64_t first = PositiveConstant(inner->b);
    if (first != 0 && first % divisor == 0) {
      const Expr* quotient = table_.Make<FloorDiv>(inner->a, table_.Int(dtype, divisor));
      return Simplify(table_.Make<FloorMod>(quotient, table_.Int(dtype, first / divisor)));
    }
  }
  const Expr* unchanged = table_.Make<FloorDiv>(a, table_.Int(dtype, divisor));
  LinearForm form = LinearOf(table_, a);
  if (!MakeExact(form)) return unchanged;
  // (c * q + r) // c is q + r // c.
  LinearForm quotient;
  LinearForm rest;
  quotient.dtype = rest.dtype = dtype;
  for (const LinearTerm& term : form.terms) {
    if (term.coefficient % divisor == 0) {
      quotient.terms.push_back({term.atom, term.coefficient / divisor});
    } else {
      rest.terms.push_back(term);
    }
  }
  rest.constant = FloorRemainder(form.constant, divisor);
  quotient.constant = FloorDivide(form.constant, divisor);
  const std::optional<int64_t> rest_quotient = OneQuotient(FormBounds(rest), divisor);
  if (rest_quotient.has_value()) {
    LinearBuilder sum(dtype);
    sum.AddForm(quotient);
    sum.AddConstant(*rest_quotient);
    return Simplify(Emit(sum.Finish(table_)));
  }
  // (g * x + k) // (g * d) is (x + k // g) // d.
  const int64_t common = std::gcd(CoefficientGcd(rest), divisor);
  LinearForm reduced = rest;
  for (LinearTerm& term : reduced.terms) term.coefficient /= common;
  reduced.constant = FloorDivide(reduced.constant, common);
  if (!MakeExact(reduced) || reduced.constant != FloorDivide(rest.constant, common)) {
    return unchanged;
  }
  const Expr* part = Emit(reduced);
  const Expr* part_quotient = table_.Make<FloorDiv>(part, table_.Int(dtype, divisor / common));
  if (part_quotient == unchanged) return unchanged;
  LinearBuilder sum(dtype);
  sum.AddForm(quotient);
  sum.AddExpr(Simplify(part_quotient));
  return Simplify(Emit(sum.Finish(table_)));
}

LinearForm Simplifier::ReducedModulo(const LinearForm& form, int64_t divisor) {
  LinearForm reduced;
  reduced.dtype = form.dtype;
  for (const LinearTerm& term : form.terms) {
    const int64_t coefficient = term.coefficient % divisor;
    if (coefficient != 0) reduced.terms.push_back({term.atom, coefficient});
  }
  reduced.constant = FloorRemainder(form.constant, divisor);
  return reduced;
}

const Expr* Simplifier::FloorModByConstant(const Expr* a, int64_t divisor) {
  const DataType dtype = a->dtype;
  const Interval values = Bounds(a);
  if (values.min >= 0 && values.max < divisor) return a;
  const Expr* unchanged = table_.Make<FloorMod>(a, table_.Int(dtype, divisor));
  // (x % (c * d)) % c is x % c.
  if (const auto* inner = dyn_cast<FloorMod>(a)) {
    const int64_t first = PositiveConstant(inner->b);
    if (first != 0 && first % divisor == 0) {
      return Simplify(table_.Make<FloorMod>(inner->a, table_.Int(dtype, divisor)));
    }
  }
  // A divisor of 2^bits is not affected by wrapping.
  LinearForm form = LinearOf(table_, a);
  const bool ring = IsPowerOfTwo(divisor);
  if (!MakeExact(form) && !ring) return unchanged;
  LinearForm rest = ReducedModulo(form, divisor);
  const Interval bounds = FormBounds(rest);
  const std::optional<int64_t> one = OneQuotient(bounds, divisor);
  if (one.has_value()) {
    LinearBuilder sum(dtype);
    sum.AddForm(rest);
    sum.AddConstant(*one, -divisor);
    return Simplify(Emit(sum.Finish(table_)));
  }
  if (!ring) {
    const int64_t constant = rest.constant;
    if (!MakeExact(rest) || rest.constant != constant) return unchanged;
  }
  // (g * x + k) % (g * d) is g * ((x + k // g) % d) + k % g.
  const int64_t common = std::gcd(CoefficientGcd(rest), divisor);
  if (common > 1 && common < divisor && (MakeExact(form) || ring)) {
    LinearForm reduced = rest;
    for (LinearTerm& term : reduced.terms) term.coefficient /= common;
    reduced.constant = FloorDivide(rest.constant, common);
    const int64_t constant = reduced.constant;
    if ((MakeExact(reduced) && reduced.constant == constant) || IsPowerOfTwo(divisor / common)) {
      reduced.constant = constant;
      LinearBuilder sum(dtype);
      sum.AddExpr(
          Simplify(table_.Make<FloorMod>(Emit(reduced), table_.Int(dtype, divisor / common))),
          common);
      sum.AddConstant(FloorRemainder(rest.constant, common));
      return Simplify(Emit(sum.Finish(table_)));
    }
  }
  const Expr* now = table_.Make<FloorMod>(Emit(rest), table_.Int(dtype, divisor));
  return now == unchanged ? unchanged : Simplify(now);
}

const Expr* Simplifier::VectorDivision(NodeKind kind, const Expr* a, const Expr* b) {
  const Expr* unchanged = table_.MakeBinary(kind, a, b);
  const bool quotient = kind == NodeKind::kDiv || kind == NodeKind::kFloorDiv;
  const auto* ramp = dyn_cast<Ramp>(a);
  const auto* divisors = dyn_cast<Broadcast>(b);
  if (divisors == nullptr) return unchanged;
  const int lanes = a->dtype.lanes();
  if (IsConstInt(divisors->value, 1)) return quotient ? a : table_.Int(a->dtype, 0);
  const int64_t divisor = PositiveConstant(divisors->value);
  if (divisor == 0 || ramp == nullptr) return unchanged;
  const Interval values = Bounds(a);
  if (kind == NodeKind::kDiv || kind == NodeKind::kMod) {
    if (values.min < 0) return unchanged;
    return Simplify(table_.MakeBinary(quotient ? NodeKind::kFloorDiv : NodeKind::kFloorMod, a, b));
  }
  // The exact lanes are base + lane * stride.
  const Interval exact =
      Bounds(ramp->base) + Bounds(ramp->stride) * Interval{0, lanes > 0 ? lanes - 1 : 0};
  const int64_t* stride = AsIntImm(ramp->stride);
  if (lanes < 1 || stride == nullptr || !FitsDType(exact, a->dtype)) return unchanged;
  const Expr* scalar = table_.Int(a->dtype.element(), divisor);
  const Expr* rest = Simplify(table_.Make<FloorMod>(ramp->base, scalar));
  if (*stride % divisor == 0) {
    if (!quotient) return table_.Make<Broadcast>(rest, lanes);
    const Expr* base = Simplify(table_.Make<FloorDiv>(ramp->base, scalar));
    return Simplify(table_.Make<Ramp>(base, table_.Int(base->dtype, *stride / divisor), lanes));
  }
  // All lanes lie within one multiple of the divisor.
  const Interval rests = Bounds(rest) + Interval::Point(*stride) * Interval{0, lanes - 1};
  if (!Interval{0, divisor - 1}.Contains(rests)) return unchanged;
  if (!quotient) return table_.Make<Ramp>(rest, ramp->stride, lanes);
  return table_.Make<Broadcast>(Simplify(table_.Make<FloorDiv>(ramp->base, scalar)), lanes);
}

}  // namespace tenon
