#include "passes/loops/inline_lets.h"

#include <vector>

#include "ir/op.h"
#include "ir/rewriter.h"
#include "ir/scope_rows.h"

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
    if (const Stmt* body = Inside(let)) return RewriteStmt(body);
    return RewriteChildren(let);
  }

  const Stmt* RewriteSeqStmt(const SeqStmt* seq) {
    if (Inside(seq->seq.back()) == nullptr) return RewriteDefault(seq);
    std::vector<const Stmt*> list;
    ForEachInRow(
        seq, [&](const Stmt* stmt) { return Inside(stmt); },
        [&](const Stmt* stmt) {
          if (const Stmt* now = RewriteStmt(stmt)) list.push_back(now);
        });
    return list.empty() ? nullptr : builder().Seq(list, seq->range);
  }

  const Expr* RewriteVar(const Var* var) {
    const auto found = values_.find(var);
    return found == values_.end() ? static_cast<const Expr*>(MapVar(var)) : found->second;
  }

 private:
  /// The body of a let whose value takes the place of its variable; null for other statements.
  const Stmt* Inside(const Stmt* stmt) {
    const auto* let = dyn_cast<LetStmt>(stmt);
    if (let == nullptr || !let->var->dtype.is_integer() || !let->var->dtype.is_scalar() ||
        let->value->dtype != let->var->dtype)
      return nullptr;
    const Expr* value = RewriteExpr(let->value);
    if (!IsSmallIndex(value)) return nullptr;
    values_[let->var] = value;
    return let->body;
  }

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
