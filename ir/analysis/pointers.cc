#include "ir/analysis/pointers.h"

#include "ir/builtins.h"
#include "ir/visitor.h"

namespace tenon {

PointerRoots::PointerRoots(const PrimFunc& function) {
  Walk(function.body, [&](const Node* node) {
    if (const auto* let = dyn_cast<LetStmt>(node)) Bind(let->var, let->value);
    if (const auto* let = dyn_cast<Let>(node)) Bind(let->var, let->value);
    if (const auto* match = dyn_cast<MatchBufferRegion>(node)) {
      Bind(match->buffer->data, match->source->buffer->data);
    }
    return true;
  });
}

void PointerRoots::Bind(const Var* alias, const Expr* value) {
  if (!alias->dtype.is_handle()) return;
  if (const Var* root = RootOf(value)) alias_of_[alias] = root;
}

const Var* PointerRoots::RootOf(const Var* pointer) const {
  const auto found = alias_of_.find(pointer);
  return found == alias_of_.end() ? pointer : found->second;
}

const Var* PointerRoots::RootOf(const Expr* pointer) const {
  while (true) {
    if (const auto* var = dyn_cast<Var>(pointer)) return RootOf(var);
    if (const auto* cast_expr = dyn_cast<Cast>(pointer)) {
      pointer = cast_expr->value;
      continue;
    }
    const auto* call = dyn_cast<Call>(pointer);
    if (call == nullptr || call->args.empty()) return nullptr;
    switch (call->op->kind) {
      case OpKind::kAddressOf: {
        const auto* load = dyn_cast<BufferLoad>(call->args[0]);
        return load == nullptr ? nullptr : RootOf(load->buffer->data);
      }
      case OpKind::kTvmAccessPtr:
        if (call->args.size() < 2) return nullptr;
        pointer = call->args[1];
        continue;
      case OpKind::kReinterpret:
        pointer = call->args[0];
        if (!pointer->dtype.is_handle()) return nullptr;
        continue;
      case OpKind::kTvmStackMakeArray:
        pointer = call->args[0];
        continue;
      default:
        return nullptr;
    }
  }
}

}  // namespace tenon
