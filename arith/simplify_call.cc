#include "arith/simplifier.h"
#include "ir/builtins.h"
#include "ir/const_fold.h"

namespace tenon {

namespace {

bool IsMask(int64_t value) { return value >= 0 && (value & (value + 1)) == 0; }

}  // namespace

/// Shifts and bitwise operators on two integers of the same dtype.
const Expr* Simplifier::StepBits(const Call* expr) {
  const Expr* mapped = MapSimplified(expr);
  const auto* call = dyn_cast<Call>(mapped);
  if (call == nullptr || call->args.size() != 2) return mapped;
  const Expr* a = call->args[0];
  const Expr* b = call->args[1];
  if (!a->dtype.is_integer() || a->dtype != b->dtype || a->dtype != call->dtype) return mapped;
  const auto* x = dyn_cast<Broadcast>(a);
  const auto* y = dyn_cast<Broadcast>(b);
  if (x != nullptr && y != nullptr) {
    const Expr* args[] = {x->value, y->value};
    const Expr* scalar = Simplify(table_.Make<Call>(
        call->dtype.element(), call->op, table_.builder().arena().Copy(Span<const Expr*>(args))));
    return table_.Make<Broadcast>(scalar, call->dtype.lanes());
  }
  if (isa<IntImm>(a) && isa<IntImm>(b)) {
    const Expr* folded = FoldConstants(mapped);
    return folded != nullptr ? folded : mapped;
  }
  const Expr* constant = AsImmediate(b);
  const int64_t* imm = AsIntImm(constant);
  if (imm == nullptr) return mapped;
  switch (call->op->kind) {
    case OpKind::kShiftLeft:
    case OpKind::kShiftRight:
    case OpKind::kBitwiseOr:
    case OpKind::kBitwiseXor:
      return *imm == 0 ? a : mapped;
    case OpKind::kBitwiseAnd: {
      if (*imm == 0) return b;
      if (a->dtype.is_int() && *imm == -1) return a;
      const Interval values = Bounds(a);
      return IsMask(*imm) && values.min >= 0 && values.max <= *imm ? a : mapped;
    }
    default:
      return mapped;
  }
}

const Expr* Simplifier::StepCall(const Call* expr) {
  switch (expr->op->kind) {
    case OpKind::kIfThenElse: {
      if (expr->args.size() != 3) break;
      const Expr* condition = Simplify(expr->args[0]);
      if (IsConstInt(condition, 1)) return Simplify(expr->args[1]);
      if (IsConstInt(condition, 0)) return Simplify(expr->args[2]);
      const auto [a, b] = SimplifyArms(condition, expr->args[1], expr->args[2]);
      if (const Expr* chosen = Choose(condition, a, b)) return chosen;
      const Expr* args[] = {condition, a, b};
      return table_.Make<Call>(expr->dtype, expr->op,
                               table_.builder().arena().Copy(Span<const Expr*>(args)));
    }
    case OpKind::kLikely: {
      if (expr->args.size() != 1) break;
      const Expr* mapped = MapSimplified(expr);
      const Expr* inner = cast<Call>(mapped)->args[0];
      if (inner->dtype != expr->dtype) return mapped;
      if (isa<IntImm>(inner) || isa<Broadcast>(inner)) return inner;
      const auto* nested = dyn_cast<Call>(inner);
      return nested != nullptr && nested->op->kind == OpKind::kLikely ? inner : mapped;
    }
    case OpKind::kShiftLeft:
    case OpKind::kShiftRight:
    case OpKind::kBitwiseAnd:
    case OpKind::kBitwiseOr:
    case OpKind::kBitwiseXor:
      return StepBits(expr);
    case OpKind::kBitwiseNot: {
      const Expr* mapped = MapSimplified(expr);
      const auto* broadcast = dyn_cast<Broadcast>(cast<Call>(mapped)->args[0]);
      if (broadcast != nullptr) {
        const Expr* scalar = Simplify(table_.Make<Call>(
            expr->dtype.element(), expr->op,
            table_.builder().arena().Copy(Span<const Expr*>(&broadcast->value, 1))));
        return table_.Make<Broadcast>(scalar, expr->dtype.lanes());
      }
      const Expr* folded = FoldConstants(mapped);
      return folded != nullptr ? folded : mapped;
    }
    default:
      break;
  }
  return MapSimplified(expr);
}

}  // namespace tenon
