#include "passes/loops/inline_lets.h"

#include "ir/op.h"
#include "ir/rewriter.h"

namespace tenon {

namespace {

/// Values in values would grow without end.
constexpr int kMostNodes = 64;

bool IsSmallIndex(const Expr* expr) {
  int nodes = 0;
  bool plain = true;
  Walk(expr, [&](const Node* node) {
    plain &= ++nodes <= kMostNodes && !isa<BufferLoad>(node) && !isa<ProducerLoad>(node) &&
             !isa<Let>(node) && !isa<Reduce>(node);
    if (const auto* call = dyn_cast<Call>(node)) {
      plain &= call->op->effect == OpEffect::kPure && call->op->kind != OpKind::kCallPureExtern &&
               call->op->kind != OpKind::kCallLLVMPureIntrin && call->op->kind != OpKind::kUndef;
    }
    return plain;
  });
  return plain;
}

class LetInliner : public Rewriter<LetInliner> {
 public:
  using Rewriter::Rewriter;

  const Stmt* RewriteLetStmt(const LetStmt* let) {
    if (!let->var->dtype.is_integer() || !let->var->dtype.is_scalar() ||
        let->value->dtype != let->var->dtype)
      return RewriteChildren(let);
    const Expr* value = RewriteExpr(let->value);
    if (!IsSmallIndex(value)) {
      const Stmt* body = RewriteStmt(let->body);
      if (value == let->value && body == let->body) return let;
      return builder().New<LetStmt>(let->range, let->var, value,
                                    body == nullptr ? builder().NoOp() : body);
    }
    values_[let->var] = value;
    return RewriteStmt(let->body);
  }

  const Expr* RewriteVar(const Var* var) {
    const auto found = values_.find(var);
    return found == values_.end() ? static_cast<const Expr*>(MapVar(var)) : found->second;
  }

 private:
  absl::flat_hash_map<const Var*, const Expr*> values_;
};

}  // namespace

absl::StatusOr<IRModule> InlineLets(const IRModule& module, const NoOptions&,
                                    PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<LetInliner>(module.context(), function);
  });
}

}  // namespace tenon
