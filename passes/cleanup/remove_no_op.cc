#include "passes/cleanup/remove_no_op.h"

#include "absl/container/flat_hash_set.h"
#include "ir/attributes.h"
#include "ir/rewriter.h"

namespace tenon {

namespace {

/// True if evaluating `expr` only gives a value. Null counts as pure.
bool IsPure(const Expr* expr) {
  bool pure = true;
  Walk(expr, [&](const Node* node) {
    if (const auto* call = dyn_cast<Call>(node)) {
      const OpEffect effect = call->op->effect;
      pure &= effect == OpEffect::kPure || effect == OpEffect::kRead;
    }
    return pure;
  });
  return pure;
}

/// Works from the leaves up, so that uses in removed statements no longer count.
class NoOpRemover : public Rewriter<NoOpRemover> {
 public:
  using Rewriter::Rewriter;

  /// Expressions stay unchanged.
  const Expr* RewriteExpr(const Expr* expr) { return expr; }
  const Buffer* RewriteBuffer(const Buffer* buffer) { return buffer; }

  const Stmt* RewriteStmt(const Stmt* stmt) {
    const Stmt* now = Rewriter::RewriteStmt(stmt);
    if (now != nullptr && kept_.insert(now).second) NoteUses(now);
    return now;
  }

  const Stmt* RewriteEvaluate(const Evaluate* node) {
    return DoesNothing(node) || !IsPure(node->value) ? node : Nothing();
  }

  const Stmt* RewriteSeqStmt(const SeqStmt* node) {
    absl::InlinedVector<const Stmt*, 16> kept;
    bool changed = false;
    for (const Stmt* child : node->seq) {
      const Stmt* now = RewriteStmt(child);
      changed |= now != child || DoesNothing(now);
      if (!DoesNothing(now)) kept.push_back(now);
    }
    return changed ? builder().Seq({kept.data(), kept.size()}, node->range) : node;
  }

  const Stmt* RewriteFor(const For* loop) {
    const For* now = RewriteChildren(loop);
    if (!DoesNothing(now->body) || !IsPure(now->min) || !IsPure(now->extent)) return now;
    return Nothing();
  }

  const Stmt* RewriteIfThenElse(const IfThenElse* node) {
    const Stmt* then_case = RewriteStmt(node->then_case);
    const Stmt* else_case = RewriteStmt(node->else_case);
    if (else_case != nullptr && DoesNothing(else_case)) else_case = nullptr;
    const Expr* condition = node->condition;
    if (DoesNothing(then_case)) {
      if (else_case == nullptr) {
        if (IsPure(condition)) return Nothing();
        return builder().New<Evaluate>(node->range, condition);
      }
      condition = builder().New<Not>(condition->range, condition);
      then_case = std::exchange(else_case, nullptr);
    }
    if (then_case == node->then_case && else_case == node->else_case) return node;
    return builder().New<IfThenElse>(node->range, condition, then_case, else_case);
  }

  const Stmt* RewriteLetStmt(const LetStmt* node) {
    const LetStmt* now = RewriteChildren(node);
    if (used_.contains(now->var)) return now;
    if (IsPure(now->value)) return now->body;
    if (!DoesNothing(now->body)) return now;
    return builder().New<Evaluate>(now->range, now->value);
  }

  const Stmt* RewriteAttrStmt(const AttrStmt* node) {
    const AttrStmt* now = RewriteChildren(node);
    return DoesNothing(now->body) && IsPure(now->value) ? Nothing() : now;
  }

  const Stmt* RewriteAllocate(const Allocate* node) {
    const Allocate* now = RewriteChildren(node);
    return used_.contains(now->buffer_var) || IsEntryTensor(*now) ? now : now->body;
  }

  const Stmt* RewriteAllocateConst(const AllocateConst* node) {
    const AllocateConst* now = RewriteChildren(node);
    return used_.contains(now->buffer_var) ? now : now->body;
  }

  const Stmt* RewriteDeclBuffer(const DeclBuffer* node) {
    const DeclBuffer* now = RewriteChildren(node);
    return used_.contains(now->buffer) ? now : now->body;
  }

 private:
  /// An input or output of the entry stays, even if no statement uses it.
  static bool IsEntryTensor(const Allocate& allocate) {
    return allocate.annotations != nullptr &&
           allocate.annotations->Find(attr_key::kEntryTensor) != nullptr;
  }
  static bool DoesNothing(const Stmt* stmt) {
    const auto* evaluate = dyn_cast<Evaluate>(stmt);
    return evaluate != nullptr && IsConstInt(evaluate->value, 0);
  }
  const Stmt* Nothing() { return builder().NoOp(); }

  /// Records the variables and buffers that a statement refers to outside of its bodies.
  void NoteUses(const Stmt* stmt) {
    Dispatch(stmt, [&](const auto* typed) {
      ForEachField(*typed, [&](const char*, const auto& value, FieldRole role) {
        using V = std::remove_cvref_t<decltype(value)>;
        if constexpr (kIsNodePointer<V>) {
          NoteUse(value, role);
        } else if constexpr (kIsNodeSpan<V>) {
          for (const auto* child : value) NoteUse(child, role);
        }
      });
    });
  }

  void NoteUse(const Node* node, FieldRole role) {
    if (node == nullptr || isa<Stmt>(node)) return;
    Walk(node, [&](const Node* below) {
      const bool defined = below == node && role == FieldRole::kDef;
      if (!defined && (isa<Var>(below) || isa<Buffer>(below))) {
        // Each buffer's fields are walked once.
        return used_.insert(below).second;
      }
      return true;
    });
  }

  absl::flat_hash_set<const Node*> used_;
  absl::flat_hash_set<const Stmt*> kept_;
};

}  // namespace

absl::StatusOr<IRModule> RemoveNoOp(const IRModule& module, const NoOptions&,
                                    PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<NoOpRemover>(module.context(), function);
  });
}

}  // namespace tenon
