#include "arith/simplifier.h"

namespace tenon {

namespace {

bool IsTrue(const Expr* expr) { return expr->dtype.is_bool() && IsConstInt(expr, 1); }
bool IsFalse(const Expr* expr) { return expr->dtype.is_bool() && IsConstInt(expr, 0); }

const Expr* ScalarOf(const Expr* expr) {
  const auto* broadcast = dyn_cast<Broadcast>(expr);
  return broadcast != nullptr ? broadcast->value : expr;
}

}  // namespace

/// A chain of `and` (or `or`): each operand is simplified under the assumption that the previous
/// ones are true (false), since otherwise it does not matter.
const Expr* Simplifier::StepLogical(const BinaryExpr* expr) {
  const bool conjunction = isa<And>(expr);
  const int lanes = expr->dtype.lanes();
  std::vector<const Expr*> kept;
  bool decided = false;
  if (expr->dtype.is_scalar()) PushScope();
  absl::InlinedVector<std::pair<const Expr*, bool>, 8> open = {{expr, false}};
  while (!open.empty() && !decided) {
    const auto [node, simplified] = open.back();
    open.pop_back();
    if (node->kind == expr->kind) {
      const auto* both = static_cast<const BinaryExpr*>(node);
      open.emplace_back(both->b, simplified);
      open.emplace_back(both->a, simplified);
    } else if (!simplified) {
      open.emplace_back(Simplify(node), true);
    } else if (IsConstInt(ScalarOf(node), conjunction ? 0 : 1)) {
      decided = true;
    } else if (!IsConstInt(ScalarOf(node), conjunction ? 1 : 0)) {
      // Parts of a simplified chain may have become known in the meantime.
      const std::optional<bool> known = KnownTruth(node);
      if (known.has_value()) {
        decided = *known != conjunction;
      } else {
        kept.push_back(node);
        if (expr->dtype.is_scalar()) Assume(node, conjunction);
      }
    }
  }
  if (expr->dtype.is_scalar()) PopScope();
  if (decided) return table_.Bool(!conjunction, lanes);
  if (kept.empty()) return table_.Bool(conjunction, lanes);
  const Expr* chain = kept[0];
  for (size_t i = 1; i < kept.size(); ++i) chain = table_.MakeBinary(expr->kind, chain, kept[i]);
  return chain;
}

const Expr* Simplifier::Negate(const Expr* a) {
  if (const auto* inner = dyn_cast<Not>(a)) return inner->a;
  if (const auto* imm = dyn_cast<IntImm>(a)) return table_.Bool(imm->value == 0);
  if (const auto* broadcast = dyn_cast<Broadcast>(a)) {
    return table_.Make<Broadcast>(Negate(broadcast->value), a->dtype.lanes());
  }
  const auto* comparison = dyn_cast<BinaryExpr>(a);
  if (comparison != nullptr && comparison->a->dtype.is_integer()) {
    const auto turned = [&](NodeKind kind) {
      return Simplify(table_.MakeBinary(kind, comparison->a, comparison->b));
    };
    switch (a->kind) {
      case NodeKind::kEQ:
        return turned(NodeKind::kNE);
      case NodeKind::kNE:
        return turned(NodeKind::kEQ);
      case NodeKind::kLT:
        return turned(NodeKind::kGE);
      case NodeKind::kLE:
        return turned(NodeKind::kGT);
      case NodeKind::kGT:
        return turned(NodeKind::kLE);
      case NodeKind::kGE:
        return turned(NodeKind::kLT);
      default:
        break;
    }
  }
  return table_.Make<Not>(a);
}

const Expr* Simplifier::StepNot(const Not* expr) { return Negate(Simplify(expr->a)); }

std::pair<const Expr*, const Expr*> Simplifier::SimplifyArms(const Expr* condition,
                                                             const Expr* on_true,
                                                             const Expr* on_false) {
  if (!condition->dtype.is_scalar()) return {Simplify(on_true), Simplify(on_false)};
  PushScope();
  Assume(condition, true);
  const Expr* a = Simplify(on_true);
  PopScope();
  PushScope();
  Assume(condition, false);
  const Expr* b = Simplify(on_false);
  PopScope();
  return {a, b};
}

/// The result of a choice between simplified arms, or null if the choice remains.
const Expr* Simplifier::Choose(const Expr* condition, const Expr* on_true, const Expr* on_false) {
  if (IsConstInt(ScalarOf(condition), 1)) return on_true;
  if (IsConstInt(ScalarOf(condition), 0)) return on_false;
  if (on_true == on_false) return on_true;
  if (on_true->dtype.is_bool() && on_true->dtype == condition->dtype) {
    if (IsTrue(on_true) && IsFalse(on_false)) return condition;
    if (IsFalse(on_true) && IsTrue(on_false)) return Negate(condition);
  }
  return nullptr;
}

const Expr* Simplifier::StepSelect(const Select* expr) {
  const Expr* condition = Simplify(expr->condition);
  if (IsConstInt(ScalarOf(condition), 1)) return Simplify(expr->true_value);
  if (IsConstInt(ScalarOf(condition), 0)) return Simplify(expr->false_value);
  auto [a, b] = SimplifyArms(condition, expr->true_value, expr->false_value);
  if (const Expr* chosen = Choose(condition, a, b)) return chosen;
  if (const auto* inverse = dyn_cast<Not>(condition)) {
    condition = inverse->a;
    std::swap(a, b);
  }
  return table_.Make<Select>(condition, a, b);
}

}  // namespace tenon
