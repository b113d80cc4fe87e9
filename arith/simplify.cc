#include <cmath>

#include "arith/eval.h"
#include "arith/simplifier.h"
#include "ir/const_fold.h"

namespace tenon {

namespace {

/// Rounds end when nothing changes; in practice they never reach this limit.
constexpr int kMostRounds = 8;
/// Unused lets are only looked for at smaller nesting depths.
constexpr int kMostLets = 32;

bool IsIntegerArithmetic(const Expr* expr) {
  return expr->dtype.is_integer() && !expr->dtype.is_bool();
}

bool IsImmediate(const Expr* expr) { return isa<IntImm>(expr) || isa<FloatImm>(expr); }

/// True if Bounds may give a point although no rule made the expression constant.
bool MayBePoint(const Expr* expr) {
  return expr->dtype.is_integer() && !expr->dtype.is_bool() && !isa<IntImm>(expr) &&
         !isa<Broadcast>(expr);
}

}  // namespace

const Expr* Simplifier::SimplifyFully(const Expr* expr) {
  const auto found = frame().fully_simplified.find(expr);
  if (found != frame().fully_simplified.end()) return found->second;
  table_.set_range(expr->range);
  const Expr* now = expr;
  for (int round = 0; round < kMostRounds; ++round) {
    frame().simplified.clear();
    const Expr* next = Simplify(now);
    if (next == now) break;
    now = next;
  }
  frame().fully_simplified.emplace(expr, now);
  frame().fully_simplified.emplace(now, now);
  return now;
}

const Expr* Simplifier::Simplify(const Expr* expr) {
  const auto found = frame().simplified.find(expr);
  if (found != frame().simplified.end()) return found->second;
  const Expr* now = WithStack([&] { return Step(expr); });
  if (table_.IsPure(now)) {
    if (MayBePoint(now)) {
      const Interval values = Bounds(now);
      if (values.is_point()) now = table_.Int(now->dtype, values.min);
    } else if (now->dtype.is_bool()) {
      const std::optional<bool> truth = KnownTruth(now);
      if (truth.has_value()) now = table_.Bool(*truth, now->dtype.lanes());
    }
  }
  frame().simplified.emplace(expr, now);
  frame().simplified.emplace(now, now);
  return now;
}

const Expr* Simplifier::Step(const Expr* expr) {
  if (!table_.IsPure(expr)) return MapSimplified(expr);
  switch (expr->kind) {
    case NodeKind::kIntImm:
    case NodeKind::kFloatImm:
    case NodeKind::kStringImm:
    case NodeKind::kVar:
      return expr;
    case NodeKind::kAdd:
    case NodeKind::kSub:
    case NodeKind::kMul:
      if (IsIntegerArithmetic(expr)) return StepLinear(expr);
      return StepBinary(cast<BinaryExpr>(expr));
    case NodeKind::kAnd:
    case NodeKind::kOr:
      return StepLogical(cast<BinaryExpr>(expr));
    case NodeKind::kNot:
      return StepNot(cast<Not>(expr));
    case NodeKind::kSelect:
      return StepSelect(cast<Select>(expr));
    case NodeKind::kCast:
      return StepCast(cast<Cast>(expr));
    case NodeKind::kRamp:
      return StepRamp(cast<Ramp>(expr));
    case NodeKind::kLet:
      return StepLet(cast<Let>(expr));
    case NodeKind::kCall:
      return StepCall(cast<Call>(expr));
    case NodeKind::kProducerLoad:
    case NodeKind::kReduce:
    case NodeKind::kAny:
      return expr;
    default:
      if (const auto* binary = dyn_cast<BinaryExpr>(expr)) return StepBinary(binary);
      return MapSimplified(expr);
  }
}

const Expr* Simplifier::FoldConstants(const Expr* expr) {
  // One lane of a vector (a ramp) does not determine the others.
  if (!expr->dtype.is_scalar()) return nullptr;
  const std::optional<ScalarValue> value = EvaluateExpr(expr);
  if (!value.has_value()) return nullptr;
  if (expr->dtype.is_integer()) return table_.Int(expr->dtype, value->integer);
  if (!std::isfinite(value->real)) return nullptr;
  return table_.Make<FloatImm>(expr->dtype, value->real);
}

const Expr* Simplifier::HoistBroadcasts(NodeKind kind, const Expr* a, const Expr* b) {
  const auto* x = dyn_cast<Broadcast>(a);
  const auto* y = dyn_cast<Broadcast>(b);
  if (x == nullptr || y == nullptr) return nullptr;
  const Expr* scalar = Simplify(table_.MakeBinary(kind, x->value, y->value));
  return table_.Make<Broadcast>(scalar, a->dtype.lanes());
}

const Expr* Simplifier::StepBinary(const BinaryExpr* expr) {
  const NodeKind kind = expr->kind;
  const Expr* a = Simplify(expr->a);
  const Expr* b = Simplify(expr->b);
  if (const Expr* hoisted = HoistBroadcasts(kind, a, b)) return hoisted;
  if (IsImmediate(a) && IsImmediate(b)) {
    const Expr* node = table_.MakeBinary(kind, a, b);
    const Expr* folded = FoldConstants(node);
    return folded != nullptr ? folded : node;
  }
  if (IsIntegerArithmetic(a)) {
    switch (kind) {
      case NodeKind::kDiv:
      case NodeKind::kMod:
      case NodeKind::kFloorDiv:
      case NodeKind::kFloorMod:
        return StepDivision(kind, a, b);
      case NodeKind::kMin:
      case NodeKind::kMax:
        return StepMinMax(kind, a, b);
      default:
        return StepComparison(kind, a, b);
    }
  }
  if (a->dtype.is_bool() && (kind == NodeKind::kEQ || kind == NodeKind::kNE)) {
    return StepComparison(kind, a, b);
  }
  // For floats, only identities that are exact for signed zeros, infinities and NaNs.
  const Expr* number = AsImmediate(b);
  const auto* real = dyn_cast_or_null<FloatImm>(number);
  if (real != nullptr) {
    const bool divides = kind == NodeKind::kMul || kind == NodeKind::kDiv;
    if (divides && real->value == 1.0) return a;
    if (kind == NodeKind::kSub && real->value == 0.0 && !std::signbit(real->value)) return a;
  }
  real = dyn_cast_or_null<FloatImm>(AsImmediate(a));
  if (real != nullptr && kind == NodeKind::kMul && real->value == 1.0) return b;
  return table_.MakeBinary(kind, a, b);
}

const Expr* Simplifier::StepCast(const Cast* expr) {
  const Expr* value = Simplify(expr->value);
  const DataType to = expr->dtype;
  const auto again = [&](const Expr* inner) {
    return inner->dtype == to ? inner : Simplify(table_.Make<Cast>(to, inner));
  };
  if (value->dtype == to) return value;
  if (const auto* broadcast = dyn_cast<Broadcast>(value)) {
    const Expr* inner = Simplify(table_.Make<Cast>(to.element(), broadcast->value));
    return table_.Make<Broadcast>(inner, to.lanes());
  }
  const Expr* node = table_.Make<Cast>(to, value);
  if (IsImmediate(value)) {
    const Expr* folded = FoldConstants(node);
    return folded != nullptr ? folded : node;
  }
  const auto* inner = dyn_cast<Cast>(value);
  if (inner == nullptr || !to.is_integer() || to.is_bool()) return node;
  const DataType middle = inner->dtype;
  const DataType from = inner->value->dtype;
  if (!middle.is_integer() || !from.is_integer() || middle.is_bool()) return node;
  // The middle type changes nothing if it is as wide as the end, or if the value fits into it.
  const bool keeps_low_bits = to.bits() <= middle.bits();
  const bool widens = Interval::OfDType(middle).Contains(Bounds(inner->value)) &&
                      (middle.is_uint() || from.is_int() || from.bits() < middle.bits());
  return keeps_low_bits || widens ? again(inner->value) : node;
}

const Expr* Simplifier::StepRamp(const Ramp* expr) {
  const Expr* base = Simplify(expr->base);
  const Expr* stride = Simplify(expr->stride);
  const int lanes = expr->dtype.lanes();
  if (IsConstInt(stride, 0)) return table_.Make<Broadcast>(base, lanes);
  return table_.Make<Ramp>(base, stride, lanes);
}

const Expr* Simplifier::StepLet(const Let* expr) {
  const Expr* value = Simplify(expr->value);
  const Expr* var = table_.Intern(expr->var);
  PushScope();
  if (var->dtype.is_integer()) SetKnown(var, Bounds(value));
  if (var->dtype.is_integer() && var->dtype.is_scalar() && !var->dtype.is_bool()) {
    std::optional<LinearForm> same = Difference(var, value);
    if (same.has_value()) AddFact(*std::move(same), Interval::Point(0));
  }
  ++lets_;
  const Expr* body = Simplify(expr->body);
  --lets_;
  PopScope();
  // In long chains of lets, searching each level for uses would take quadratic time.
  bool used = lets_ > kMostLets;
  if (!used) {
    Walk(body, [&](const Node* node) {
      used |= node == var;
      return !used;
    });
  }
  return used ? table_.Make<Let>(expr->var, value, body) : body;
}

}  // namespace tenon
