#include "arith/simplifier.h"

namespace tenon {

namespace {

NodeKind Swapped(NodeKind kind) {
  switch (kind) {
    case NodeKind::kLT:
      return NodeKind::kGT;
    case NodeKind::kLE:
      return NodeKind::kGE;
    case NodeKind::kGT:
      return NodeKind::kLT;
    case NodeKind::kGE:
      return NodeKind::kLE;
    default:
      return kind;
  }
}

/// The result of comparing a and b if a - b lies in `apart`.
std::optional<bool> DecideByDifference(NodeKind kind, const Interval& apart) {
  switch (kind) {
    case NodeKind::kEQ:
      if (!apart.Contains(0)) return false;
      if (apart == Interval::Point(0)) return true;
      return std::nullopt;
    case NodeKind::kNE:
      if (!apart.Contains(0)) return true;
      if (apart == Interval::Point(0)) return false;
      return std::nullopt;
    case NodeKind::kLT:
      if (apart.max < 0) return true;
      if (apart.min >= 0) return false;
      return std::nullopt;
    case NodeKind::kLE:
      if (apart.max <= 0) return true;
      if (apart.min > 0) return false;
      return std::nullopt;
    case NodeKind::kGT:
      if (apart.min > 0) return true;
      if (apart.max <= 0) return false;
      return std::nullopt;
    case NodeKind::kGE:
      if (apart.min >= 0) return true;
      if (apart.max < 0) return false;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

/// The terms of one sign, as a sum with positive coefficients.
LinearForm PartOfSign(const LinearForm& form, DataType dtype, bool positive) {
  LinearForm part;
  part.dtype = dtype;
  for (const LinearTerm& term : form.terms) {
    if ((term.coefficient > 0) != positive) continue;
    part.terms.push_back({term.atom, positive ? term.coefficient : -term.coefficient});
  }
  return part;
}

}  // namespace

std::optional<bool> Simplifier::Decide(NodeKind kind, const Expr* a, const Expr* b) {
  if (a == b) {
    return kind == NodeKind::kEQ || kind == NodeKind::kLE || kind == NodeKind::kGE;
  }
  return DecideByDifference(kind, DifferenceBounds(a, b));
}

const Expr* Simplifier::StepComparison(NodeKind kind, const Expr* a, const Expr* b) {
  const DataType dtype = a->dtype;
  if (dtype.is_bool()) {
    const bool equal = kind == NodeKind::kEQ;
    if (kind != NodeKind::kEQ && kind != NodeKind::kNE) return table_.MakeBinary(kind, a, b);
    if (a == b) return table_.Bool(equal, dtype.lanes());
    if (isa<IntImm>(a)) std::swap(a, b);
    if (IsConstInt(b, equal ? 1 : 0)) return a;
    if (IsConstInt(b, equal ? 0 : 1)) return Negate(a);
    return table_.MakeBinary(kind, a, b);
  }
  if (!dtype.is_scalar()) {
    const std::optional<bool> truth = DecideByDifference(kind, Bounds(a) - Bounds(b));
    if (truth.has_value()) return table_.Bool(*truth, dtype.lanes());
    if (a == b) return table_.Bool(*Decide(kind, a, b), dtype.lanes());
    return table_.MakeBinary(kind, a, b);
  }
  const std::optional<bool> truth = Decide(kind, a, b);
  if (truth.has_value()) return table_.Bool(*truth);
  std::optional<LinearForm> difference = Difference(a, b);
  if (difference.has_value()) {
    const Expr* canonical = CanonicalComparison(kind, *std::move(difference), dtype);
    if (canonical != nullptr) return canonical;
  }
  if (kind == NodeKind::kEQ || kind == NodeKind::kNE) return CanonicalEquality(kind, a, b);
  return table_.MakeBinary(kind, a, b);
}

/// `difference kind 0` over the integers, as a comparison in `dtype` with positive coefficients on
/// both sides; null if a side might wrap.
const Expr* Simplifier::CanonicalComparison(NodeKind kind, LinearForm difference, DataType dtype) {
  if (difference.terms.empty()) return nullptr;
  for (const LinearTerm& term : difference.terms) {
    if (term.coefficient == Interval::kMinusInf) return nullptr;
  }
  if (difference.constant < -Interval::kPlusInf + 1) return nullptr;
  if (difference.terms[0].coefficient < 0) {
    for (LinearTerm& term : difference.terms) term.coefficient = -term.coefficient;
    difference.constant = -difference.constant;
    kind = Swapped(kind);
  }
  // Use only < and >=: `x <= k` is `x < k + 1`.
  int64_t bound = -difference.constant;
  if (kind == NodeKind::kLE || kind == NodeKind::kGT) {
    if (bound >= Interval::kPlusInf - 1) return nullptr;
    ++bound;
    kind = kind == NodeKind::kLE ? NodeKind::kLT : NodeKind::kGE;
  }
  const int64_t common = CoefficientGcd(difference);
  if (kind == NodeKind::kEQ || kind == NodeKind::kNE) {
    if (FloorRemainder(bound, common) != 0) return table_.Bool(kind == NodeKind::kNE);
    bound /= common;
  } else {
    bound = -FloorDivide(-bound, common);
  }
  for (LinearTerm& term : difference.terms) term.coefficient /= common;
  LinearForm left = PartOfSign(difference, dtype, true);
  LinearForm right = PartOfSign(difference, dtype, false);
  // Replace a bound of 1 by <= 0 or > 0.
  if (bound == 1 && (kind == NodeKind::kLT || kind == NodeKind::kGE)) {
    kind = kind == NodeKind::kLT ? NodeKind::kLE : NodeKind::kGT;
    bound = 0;
  }
  right.constant = bound;
  if (!right.terms.empty() && bound < 0) {
    left.constant = -bound;
    right.constant = 0;
  }
  const LinearForm forms[] = {left, right};
  for (const LinearForm& form : forms) {
    if (!form.is_atom() && !FitsDType(FormBounds(form), dtype) && !AssumesNoOverflow(dtype)) {
      return nullptr;
    }
  }
  if (right.terms.empty() && !FitsDType(Interval::Point(bound), dtype)) return nullptr;
  return table_.MakeBinary(kind, Emit(left), Emit(right));
}

/// Equality modulo 2^bits: moving terms to the other side is valid even if they wrap.
const Expr* Simplifier::CanonicalEquality(NodeKind kind, const Expr* a, const Expr* b) {
  const DataType dtype = a->dtype;
  LinearForm difference = Combine(table_, LinearOf(table_, a), LinearOf(table_, b), -1);
  if (difference.terms.empty()) {
    return table_.Bool((difference.constant == 0) == (kind == NodeKind::kEQ));
  }
  const int64_t lowest = Interval::OfDType(DataType::Int(dtype.bits())).min;
  for (const LinearTerm& term : difference.terms) {
    if (term.coefficient == lowest) return table_.MakeBinary(kind, a, b);
  }
  if (difference.terms[0].coefficient < 0) {
    LinearForm zero;
    zero.dtype = dtype;
    difference = Combine(table_, zero, difference, -1);
  }
  const LinearForm left = PartOfSign(difference, dtype, true);
  LinearForm right = PartOfSign(difference, dtype, false);
  LinearBuilder sum(dtype);
  sum.AddForm(right);
  sum.AddConstant(difference.constant, -1);
  return table_.MakeBinary(kind, Emit(left), Emit(sum.Finish(table_)));
}

const Expr* Simplifier::StepMinMax(NodeKind kind, const Expr* a, const Expr* b) {
  const bool min = kind == NodeKind::kMin;
  if (a == b) return a;
  const Interval apart = a->dtype.is_scalar() ? DifferenceBounds(a, b) : Bounds(a) - Bounds(b);
  if (apart.max <= 0) return min ? a : b;
  if (apart.min >= 0) return min ? b : a;
  // The constant goes last; other operands go in table order.
  if (isa<IntImm>(a) || (!isa<IntImm>(b) && table_.Before(b, a))) std::swap(a, b);
  const auto* inner = dyn_cast<BinaryExpr>(a);
  if (inner != nullptr && inner->kind == kind) {
    if (inner->a == b || inner->b == b) return a;
    const int64_t* first = AsIntImm(inner->b);
    const int64_t* second = AsIntImm(b);
    if (first != nullptr && second != nullptr) {
      const Expr* limit = Simplify(table_.MakeBinary(kind, inner->b, b));
      return Simplify(table_.MakeBinary(kind, inner->a, limit));
    }
  }
  return table_.MakeBinary(kind, a, b);
}

}  // namespace tenon
