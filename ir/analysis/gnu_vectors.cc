#include "ir/analysis/gnu_vectors.h"

#include "ir/analysis/node_queries.h"
#include "ir/builtins.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

bool HasVectorWithin(const Expr* expr) {
  bool found = false;
  Walk(expr, [&](const Node* node) {
    if (isa<Buffer>(node)) return false;
    found |= isa<Expr>(node) && !static_cast<const Expr*>(node)->dtype.is_scalar() &&
             !static_cast<const Expr*>(node)->dtype.is_void();
    return !found;
  });
  return found;
}

/// Whether GNU C can load or store a row: its elements are numbers, and its index has no vector.
bool IsRow(const Buffer* buffer, Span<const Expr*> indices, const Expr* predicate) {
  const Ramp* ramp = RowOf(buffer, indices, predicate);
  return ramp != nullptr && !buffer->dtype.is_bool() && !HasVectorWithin(ramp->base);
}

bool IsValue(const Expr* expr);

bool IsMask(const Expr* expr) { return expr->dtype.is_bool() && IsValue(expr); }
bool IsNumbers(const Expr* expr) { return IsGnuVector(expr->dtype) && IsValue(expr); }

bool IsOperation(const BinaryExpr* node) {
  const bool integers = node->a->dtype.is_integer();
  switch (node->kind) {
    case NodeKind::kAnd:
    case NodeKind::kOr:
      return IsMask(node->a) && IsMask(node->b);
    case NodeKind::kDiv:
      return !integers && IsNumbers(node->a) && IsNumbers(node->b);
    case NodeKind::kMod:
    case NodeKind::kFloorDiv:
    case NodeKind::kFloorMod:
      return false;
    default:
      return IsNumbers(node->a) && IsNumbers(node->b);
  }
}

bool IsConversion(const Cast* node) {
  const Expr* value = node->value;
  const DataType from = value->dtype;
  const DataType to = node->dtype;
  if (to.is_bool()) return IsNumbers(value) || IsMask(value);
  if (from.is_bool()) return IsMask(value);
  // GCC 12 fails (an internal error) on minima and maxima of such values without AVX.
  if (from.is_float() && to.is_float() && from.bits() < to.bits()) return false;
  return IsNumbers(value) && (from.is_integer() || !to.is_integer());
}

bool IsCallOnLanes(const Call* call) {
  switch (call->op->kind) {
    case OpKind::kShiftLeft:
    case OpKind::kShiftRight:
      return call->dtype.is_integer() && IsNumbers(call->args[0]) && IsNumbers(call->args[1]) &&
             call->args[0]->dtype == call->dtype && call->args[1]->dtype == call->dtype;
    case OpKind::kBitwiseAnd:
    case OpKind::kBitwiseOr:
    case OpKind::kBitwiseXor:
    case OpKind::kBitwiseNot:
      if (!call->dtype.is_integer()) return false;
      for (const Expr* arg : call->args) {
        if (arg->dtype != call->dtype || !IsValue(arg)) return false;
      }
      return true;
    case OpKind::kReinterpret:
      return IsNumbers(call->args[0]) && call->args[0]->dtype.bits() == call->dtype.bits() &&
             call->args[0]->dtype.lanes() == call->dtype.lanes();
    default:
      return false;
  }
}

/// Whether GNU C's operators can compute this vector of numbers or mask.
bool IsValue(const Expr* expr) {
  const DataType dtype = expr->dtype;
  if (!IsGnuVector(dtype) && !(dtype.is_bool() && IsGnuVector(dtype.with_bits(8)))) return false;
  return WithStack([&] {
    switch (expr->kind) {
      case NodeKind::kBroadcast:
        return !dtype.is_bool() && !HasVectorWithin(cast<Broadcast>(expr)->value);
      case NodeKind::kRamp: {
        const auto* ramp = cast<Ramp>(expr);
        return !dtype.is_bool() && !HasVectorWithin(ramp->base) && !HasVectorWithin(ramp->stride);
      }
      case NodeKind::kBufferLoad: {
        const auto* load = cast<BufferLoad>(expr);
        return IsRow(load->buffer, load->indices, load->predicate);
      }
      case NodeKind::kNot:
        return IsMask(cast<Not>(expr)->a);
      case NodeKind::kSelect: {
        const auto* select = cast<Select>(expr);
        return !select->condition->dtype.is_scalar() && IsMask(select->condition) &&
               IsNumbers(select->true_value) && IsNumbers(select->false_value);
      }
      case NodeKind::kCast:
        return IsConversion(cast<Cast>(expr));
      case NodeKind::kCall:
        return IsCallOnLanes(cast<Call>(expr));
      default:
        return isa<BinaryExpr>(expr) && IsOperation(static_cast<const BinaryExpr*>(expr));
    }
  });
}

}  // namespace

bool IsGnuVector(DataType dtype) {
  const int lanes = dtype.lanes();
  if (lanes < 2 || lanes > kMostGnuLanes || (lanes & (lanes - 1)) != 0) return false;
  const int bits = dtype.bits();
  if (dtype.is_float()) return bits == 32 || bits == 64;
  return dtype.is_integer() && (bits == 8 || bits == 16 || bits == 32 || bits == 64);
}

ScalarChoice AsScalarChoice(const Expr* value) {
  if (const auto* select = dyn_cast<Select>(value)) {
    if (!select->condition->dtype.is_scalar()) return {};
    return {select->condition, select->true_value, select->false_value};
  }
  const auto* call = dyn_cast<Call>(value);
  const bool choice = call != nullptr && call->op->kind == OpKind::kIfThenElse;
  if (!choice || !call->args[0]->dtype.is_scalar()) return {};
  return {call->args[0], call->args[1], call->args[2]};
}

bool IsGnuVectorStore(const BufferStore* store) {
  if (!IsRow(store->buffer, store->indices, store->predicate)) return false;
  // Work list of arms to check.
  std::vector<const Expr*> values = {store->value};
  while (!values.empty()) {
    const Expr* value = values.back();
    values.pop_back();
    const ScalarChoice choice = AsScalarChoice(value);
    if (choice.condition == nullptr) {
      if (!IsNumbers(value)) return false;
      continue;
    }
    if (HasVectorWithin(choice.condition)) return false;
    values.push_back(choice.yes);
    values.push_back(choice.no);
  }
  return true;
}

}  // namespace tenon
