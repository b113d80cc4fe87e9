#ifndef TENON_IR_REWRITER_H_
#define TENON_IR_REWRITER_H_

#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "ir/builder.h"
#include "ir/visitor.h"

namespace tenon {

/// A rewrite of one function: unchanged subtrees are shared, and an unchanged node comes back as
/// the same pointer.
///
/// Derived overrides `const Expr* RewriteAdd(const Add*)`, `const Stmt* RewriteFor(const For*)` and
/// the like; a hook calls `RewriteChildren(node)` to have the children rewritten. Variables and
/// buffers are mapped by identity: to rename or retype one, put its replacement into `var_map` or
/// `buffer_map` before its uses are met. A buffer whose data variable, shape, strides or offset
/// change is remade once and replaced everywhere. Expressions that replace a variable come through
/// RewriteVar.
template <class Derived>
class Rewriter {
 public:
  Rewriter(Context& context, std::shared_ptr<Storage> storage)
      : builder_(context, storage->arena()), storage_(std::move(storage)) {}

  const Expr* RewriteExpr(const Expr* expr) {
    if (expr == nullptr) return nullptr;
    return WithStack([&] {
      switch (expr->kind) {
#define TENON_EXPR(Name)  \
  case NodeKind::k##Name: \
    return static_cast<const Expr*>(self().Rewrite##Name(static_cast<const Name*>(expr)));
#include "ir/nodes.def"
        default:
          TENON_UNREACHABLE();
      }
    });
  }

  /// The result may be null: the statement is gone (a SeqStmt drops it; elsewhere it becomes
  /// Evaluate(0)).
  const Stmt* RewriteStmt(const Stmt* stmt) {
    if (stmt == nullptr) return nullptr;
    return WithStack([&] {
      switch (stmt->kind) {
#define TENON_STMT(Name)  \
  case NodeKind::k##Name: \
    return static_cast<const Stmt*>(self().Rewrite##Name(static_cast<const Name*>(stmt)));
#include "ir/nodes.def"
        default:
          TENON_UNREACHABLE();
      }
    });
  }

#define TENON_EXPR(Name) \
  const Expr* Rewrite##Name(const Name* node) { return RewriteDefault(node); }
#define TENON_STMT(Name) \
  const Stmt* Rewrite##Name(const Name* node) { return RewriteDefault(node); }
#include "ir/nodes.def"

  /// What a hook does when Derived has none of its own.
  template <class T>
  const T* RewriteDefault(const T* node) {
    return RewriteChildren(node);
  }
  const Expr* RewriteDefault(const Var* var) { return MapVar(var); }

  /// Splices nested sequences and drops statements that became null.
  const Stmt* RewriteDefault(const SeqStmt* node) {
    absl::InlinedVector<const Stmt*, 16> out;
    bool changed = false;
    for (const Stmt* child : node->seq) {
      const Stmt* now = self().RewriteStmt(child);
      changed |= now != child;
      if (now == nullptr) continue;
      if (const auto* inner = dyn_cast<SeqStmt>(now)) {
        out.insert(out.end(), inner->seq.begin(), inner->seq.end());
      } else {
        out.push_back(now);
      }
    }
    if (!changed) return node;
    if (out.empty()) return nullptr;
    if (out.size() == 1) return out[0];
    return builder_.Seq({out.data(), out.size()}, node->range);
  }

  /// The buffer that stands for `buffer` now.
  const Buffer* RewriteBuffer(const Buffer* buffer) {
    if (buffer == nullptr) return nullptr;
    if (const auto found = buffer_map.find(buffer); found != buffer_map.end()) return found->second;
    const Buffer* now = RewriteChildren(buffer);
    buffer_map.emplace(buffer, now);
    return now;
  }

  /// The node with its children rewritten; the node itself when none changed.
  template <class T>
  const T* RewriteChildren(const T* node) {
    T copy = *node;
    bool changed = false;
    ForEachField(copy, [&](const char*, auto& value, FieldRole) {
      using F = std::remove_cvref_t<decltype(value)>;
      if constexpr (kIsNodePointer<F>) {
        const F now = RewriteAny(value);
        changed |= now != value;
        value = now;
      } else if constexpr (kIsNodeSpan<F>) {
        changed |= RewriteSpan(value);
      }
    });
    if (!changed) return node;
    if constexpr (std::is_base_of_v<Expr, T>) self().FixDType(copy);
    return builder_.arena().template New<T>(copy);
  }

  const Var* MapVar(const Var* var) const {
    const auto found = var_map.find(var);
    return found == var_map.end() ? var : found->second;
  }

  /// `function` with parameters, buffers, attributes and body rewritten.
  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    PrimFunc copy = *function;
    bool changed = RewriteSpan(copy.params);
    changed |= RewriteSpan(copy.buffers);
    copy.attrs = RewriteAny(function->attrs);
    copy.body = RewriteAny(function->body);
    changed |= copy.attrs != function->attrs || copy.body != function->body;
    return changed ? builder_.arena().template New<PrimFunc>(copy) : function;
  }

  absl::flat_hash_map<const Var*, const Var*> var_map;
  absl::flat_hash_map<const Buffer*, const Buffer*> buffer_map;

 protected:
  Derived& self() { return *static_cast<Derived*>(this); }
  NodeBuilder& builder() { return builder_; }
  Arena& arena() { return builder_.arena(); }
  const std::shared_ptr<Storage>& storage() const { return storage_; }

  /// Brings the dtype of a rebuilt expression into line with its children. Nodes whose dtype is
  /// their own (Cast, Call, loads, Shuffle) keep it.
  void FixDType(Expr& expr) {
    if (isa<Add>(&expr)) expr.dtype = static_cast<const BinaryExpr&>(expr).a->dtype;
    if (expr.kind >= NodeKind::kSub && expr.kind <= NodeKind::kMax) {
      expr.dtype = static_cast<const BinaryExpr&>(expr).a->dtype;
    }
    if (expr.kind == NodeKind::kSelect)
      expr.dtype = static_cast<const Select&>(expr).true_value->dtype;
    if (expr.kind == NodeKind::kLet) expr.dtype = static_cast<const Let&>(expr).body->dtype;
  }

  template <class T>
  const T* RewriteAny(const T* node) {
    if (node == nullptr) return nullptr;
    if constexpr (std::is_same_v<T, Var>) {
      return MapVar(node);
    } else if constexpr (std::is_same_v<T, Buffer>) {
      return self().RewriteBuffer(node);
    } else if constexpr (std::is_base_of_v<Expr, T>) {
      return static_cast<const T*>(self().RewriteExpr(node));
    } else if constexpr (std::is_base_of_v<Stmt, T>) {
      const Stmt* now = self().RewriteStmt(node);
      return static_cast<const T*>(now != nullptr ? now : builder_.NoOp());
    } else if constexpr (std::is_same_v<T, Attr>) {
      return Dispatch(node, [&](const auto* n) -> const Attr* {
        using N = std::remove_cvref_t<decltype(*n)>;
        if constexpr (std::is_base_of_v<Attr, N>) {
          return RewriteChildren(n);
        } else {
          TENON_UNREACHABLE();
        }
      });
    } else {
      return RewriteChildren(node);
    }
  }

  /// Rewrites the elements of a list in place of it; true when one changed.
  template <class T>
  bool RewriteSpan(std::span<const T* const>& list) {
    absl::InlinedVector<const T*, 8> out;
    bool changed = false;
    for (const T* child : list) {
      out.push_back(RewriteAny(child));
      changed |= out.back() != child;
    }
    if (changed) list = builder_.arena().Copy(std::span<const T* const>(out.data(), out.size()));
    return changed;
  }

 private:
  NodeBuilder builder_;
  std::shared_ptr<Storage> storage_;
};

/// Runs a Rewriter class over a function: makes storage that builds on the function's, constructs
/// `R(context, storage, args...)` and gives the new version, or the old one when nothing changed.
template <class R, class... Args>
Function RewriteFunction(Context& context, const Function& function, Args&&... args) {
  auto storage = std::make_shared<Storage>(function.storage);
  R rewriter(context, storage, std::forward<Args>(args)...);
  const PrimFunc* now = rewriter.RewriteFunc(function.func);
  if (now == function.func) return function;
  return {function.name, now, std::move(storage)};
}

}  // namespace tenon

#endif  // TENON_IR_REWRITER_H_
