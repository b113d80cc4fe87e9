#ifndef TENON_IR_REWRITER_H_
#define TENON_IR_REWRITER_H_

#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "ir/builder.h"
#include "ir/visitor.h"

namespace tenon {

/// The part of a rewrite that does not depend on its hooks, compiled once. Passes derive from
/// Rewriter.
class RewriterBase {
 public:
  RewriterBase(Context& context, std::shared_ptr<Storage> storage);

  virtual const Expr* RewriteExpr(const Expr* expr) = 0;
  /// The result may be null, which removes the statement: a SeqStmt drops it; elsewhere it becomes
  /// Evaluate(0).
  virtual const Stmt* RewriteStmt(const Stmt* stmt) = 0;
  /// The buffer that replaces `buffer`, or `buffer` itself.
  virtual const Buffer* RewriteBuffer(const Buffer* buffer);

  /// The node with its children rewritten; the node itself if none changed.
  template <class T>
  const T* RewriteChildren(const T* node) {
    return static_cast<const T*>(RewriteFields(node));
  }

  const Var* MapVar(const Var* var) const;

  /// `function` with parameters, buffers, attributes and body rewritten.
  const PrimFunc* RewriteFunc(const PrimFunc* function);

  absl::flat_hash_map<const Var*, const Var*> var_map;
  absl::flat_hash_map<const Buffer*, const Buffer*> buffer_map;

 protected:
  ~RewriterBase();

  NodeBuilder& builder() { return builder_; }
  Arena& arena() { return builder_.arena(); }
  const std::shared_ptr<Storage>& storage() const { return storage_; }

  /// Adapts the dtype of a rebuilt expression to its children. Nodes whose dtype is
  /// their own (Cast, Call, loads, Shuffle) keep it.
  virtual void FixDType(Expr& expr);

  /// Splices nested sequences and drops statements that became null.
  const Stmt* RewriteSeq(const SeqStmt* node);

  template <class T>
  const T* RewriteAny(const T* node) {
    if (node == nullptr) return nullptr;
    if constexpr (std::is_same_v<T, Var>) {
      return MapVar(node);
    } else if constexpr (std::is_same_v<T, Buffer>) {
      return RewriteBuffer(node);
    } else if constexpr (std::is_base_of_v<Expr, T>) {
      return static_cast<const T*>(RewriteExpr(node));
    } else if constexpr (std::is_base_of_v<Stmt, T>) {
      const Stmt* now = RewriteStmt(node);
      return static_cast<const T*>(now != nullptr ? now : builder_.NoOp());
    } else {
      return RewriteChildren(node);
    }
  }

  /// Rewrites the elements of a list, and replaces the list; true if an element changed.
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
  const Node* RewriteFields(const Node* node);
  template <class T>
  const T* RewriteFieldsOf(const T* node);

  NodeBuilder builder_;
  std::shared_ptr<Storage> storage_;
};

/// A rewrite of one function: unchanged subtrees are shared, and an unchanged node comes back as
/// the same pointer.
///
/// Derived overrides `const Expr* RewriteAdd(const Add*)`, `const Stmt* RewriteFor(const For*)` and
/// the like; a hook calls `RewriteChildren(node)` to rewrite the children. Variables and
/// buffers are mapped by identity: to rename or retype one, put its replacement into `var_map` or
/// `buffer_map` before its uses are met. A buffer whose data variable, shape, strides or offset
/// change is remade once and replaced everywhere. Expressions that replace a variable come through
/// RewriteVar.
template <class Derived>
class Rewriter : public RewriterBase {
 public:
  using RewriterBase::RewriteAny;
  using RewriterBase::RewriterBase;

  const Expr* RewriteExpr(const Expr* expr) override {
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

  const Stmt* RewriteStmt(const Stmt* stmt) override {
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

  /// The default of the hooks above, for nodes that Derived does not rewrite itself.
  template <class T>
  const T* RewriteDefault(const T* node) {
    return RewriteChildren(node);
  }
  const Expr* RewriteDefault(const Var* var) { return MapVar(var); }
  const Stmt* RewriteDefault(const SeqStmt* node) { return RewriteSeq(node); }

 protected:
  ~Rewriter() = default;
  Derived& self() { return *static_cast<Derived*>(this); }
};

/// Runs a Rewriter class over a function: makes storage that builds on the function's, constructs
/// `R(context, storage, args...)`, and returns the new version, or the old one if nothing changed.
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
