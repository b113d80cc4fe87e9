// Dead code elimination in two steps. A backward liveness analysis runs to its fixpoint, since a
// loop can make an earlier store matter. A rewriter then removes statements from the leaves up.
// (TVM: tir.RemoveNoOp.)

#include "passes/cleanup/remove_no_op.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/pointers.h"
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

bool IsPure(Span<const Expr*> exprs) {
  return std::all_of(exprs.begin(), exprs.end(), [](const Expr* expr) { return IsPure(expr); });
}

/// An input or output of the entry stays, even if no statement uses it.
bool IsEntryTensor(const Allocate& allocate) {
  return allocate.annotations != nullptr &&
         allocate.annotations->Find(attr_key::kEntryTensor) != nullptr;
}

/// The stores of a function whose values no statement with an effect depends on.
class UnreadStores {
 public:
  explicit UnreadStores(const PrimFunc& function) : roots_(function) {
    Walk(function.body, [&](const Node* node) {
      const auto* allocate = dyn_cast<Allocate>(node);
      if (allocate != nullptr && !IsEntryTensor(*allocate)) scratch_.insert(allocate->buffer_var);
      return !isa<Expr>(node);
    });
    if (scratch_.empty()) return;
    // A statement that turns out to have an effect can make stores before it matter.
    size_t before = 0;
    do {
      before = read_.size();
      HasEffect(function.body);
    } while (read_.size() != before);
  }

  bool Contains(const BufferStore* store) const {
    const PointerTargets targets = roots_.TargetsOf(store->buffer->data);
    return targets.is_known && !targets.roots.empty() &&
           std::all_of(
               targets.roots.begin(), targets.roots.end(),
               [&](const Var* root) { return scratch_.contains(root) && !read_.contains(root); }) &&
           IsPure(store->value) && IsPure(store->indices) && IsPure(store->predicate);
  }

 private:
  /// Notes the variables that statements with an effect read, and returns whether `stmt` is one.
  bool HasEffect(const Stmt* stmt) {
    if (stmt == nullptr) return false;
    return WithStack([&] {
      // The last statement first: what it reads, those before it store.
      if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
        bool has_effect = false;
        for (size_t i = seq->seq.size(); i-- > 0;) has_effect |= HasEffect(seq->seq[i]);
        return has_effect;
      }
      bool has_effect = IsEffect(stmt);
      ForEachChild(stmt, [&](const Node* child, FieldRole) {
        if (isa<Stmt>(child)) has_effect |= HasEffect(static_cast<const Stmt*>(child));
      });
      if (IsDefinition(stmt)) {
        if (IsKept(stmt)) NoteReads(stmt);
      } else if (has_effect) {
        NoteReads(stmt);
      }
      return has_effect;
    });
  }

  /// Whether a statement has an effect apart from its bodies.
  bool IsEffect(const Stmt* stmt) const {
    switch (stmt->kind) {
      case NodeKind::kBufferStore:
        return !Contains(cast<BufferStore>(stmt));
      case NodeKind::kEvaluate:
        return !IsPure(cast<Evaluate>(stmt)->value);
      case NodeKind::kFor:
        return !IsPure(cast<For>(stmt)->min) || !IsPure(cast<For>(stmt)->extent);
      case NodeKind::kIfThenElse:
        return !IsPure(cast<IfThenElse>(stmt)->condition);
      case NodeKind::kLetStmt:
        return !IsPure(cast<LetStmt>(stmt)->value);
      case NodeKind::kAttrStmt:
        return !IsPure(cast<AttrStmt>(stmt)->value);
      default:
        return !IsDefinition(stmt);
    }
  }

  /// Statements that stay only if something in their bodies uses what they define.
  static bool IsDefinition(const Stmt* stmt) {
    return isa<LetStmt>(stmt) || isa<Allocate>(stmt) || isa<AllocateConst>(stmt) ||
           isa<DeclBuffer>(stmt);
  }

  /// Whether a definition stays. A store or a load notes the fields of its own buffer.
  bool IsKept(const Stmt* stmt) const {
    if (const auto* let = dyn_cast<LetStmt>(stmt))
      return read_.contains(let->var) || !IsPure(let->value);
    const auto* allocate = dyn_cast<Allocate>(stmt);
    return allocate != nullptr &&
           (read_.contains(allocate->buffer_var) || IsEntryTensor(*allocate));
  }

  /// Notes the variables of a statement outside of its bodies, except the one that it defines.
  void NoteReads(const Stmt* stmt) {
    ForEachChild(stmt, [&](const Node* child, FieldRole role) {
      if (isa<Stmt>(child) || (isa<Var>(child) && role == FieldRole::kDef)) return;
      Walk(child, [&](const Node* node) {
        if (isa<Var>(node)) read_.insert(node);
        return true;
      });
    });
  }

  PointerRoots roots_;
  /// The data of allocations.
  absl::flat_hash_set<const Var*> scratch_;
  /// Variables that some statement with an effect reads, or stores to.
  absl::flat_hash_set<const Node*> read_;
};

/// Works from the leaves up, so that uses in removed statements no longer count.
class NoOpRemover : public Rewriter<NoOpRemover> {
 public:
  NoOpRemover(Context& context, std::shared_ptr<Storage> storage, const UnreadStores& unread)
      : Rewriter(context, std::move(storage)), unread_(unread) {}

  /// Expressions stay unchanged.
  const Expr* RewriteExpr(const Expr* expr) { return expr; }
  const Buffer* RewriteBuffer(const Buffer* buffer) { return buffer; }

  const Stmt* RewriteStmt(const Stmt* stmt) {
    const Stmt* now = Rewriter::RewriteStmt(stmt);
    if (now != nullptr && kept_.insert(now).second) NoteUses(now);
    return now;
  }

  const Stmt* RewriteBufferStore(const BufferStore* node) {
    return unread_.Contains(node) ? Nothing() : node;
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

  const UnreadStores& unread_;
  absl::flat_hash_set<const Node*> used_;
  absl::flat_hash_set<const Stmt*> kept_;
};

}  // namespace

absl::StatusOr<IRModule> RemoveNoOp(const IRModule& module, const NoOptions&,
                                    PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    const UnreadStores unread(*function.func);
    return RewriteFunction<NoOpRemover>(module.context(), function, unread);
  });
}

}  // namespace tenon
