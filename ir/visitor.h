#ifndef TENON_IR_VISITOR_H_
#define TENON_IR_VISITOR_H_

#include "absl/functional/function_ref.h"
#include "ir/function.h"
#include "support/stack.h"

// Three ways through the tree: Dispatch (one node, by kind), Visitor (a class with a hook a kind)
// and Walk (lambdas, in pre-order). Rewriting is in ir/rewriter.h.

namespace tenon {

/// Calls `f` with `node` as its own type.
template <class F>
decltype(auto) Dispatch(const Node* node, F&& f) {
  switch (node->kind) {
#define TENON_EXPR(Name)  \
  case NodeKind::k##Name: \
    return f(static_cast<const Name*>(node));
#define TENON_STMT(Name) TENON_EXPR(Name)
#define TENON_ATTR(Name) TENON_EXPR(Name)
#define TENON_PART(Name) TENON_EXPR(Name)
#include "ir/nodes.def"
  }
  TENON_UNREACHABLE();
}

/// As Dispatch, for expressions and for statements alone: less code where only those can come.
template <class F>
decltype(auto) DispatchExpr(const Expr* node, F&& f) {
  switch (node->kind) {
#define TENON_EXPR(Name)  \
  case NodeKind::k##Name: \
    return f(static_cast<const Name*>(node));
#include "ir/nodes.def"
    default:
      TENON_UNREACHABLE();
  }
}
template <class F>
decltype(auto) DispatchStmt(const Stmt* node, F&& f) {
  switch (node->kind) {
#define TENON_STMT(Name)  \
  case NodeKind::k##Name: \
    return f(static_cast<const Name*>(node));
#include "ir/nodes.def"
    default:
      TENON_UNREACHABLE();
  }
}

/// Calls `f(child, role)` for every child of `node` that is not null, in field order. Buffers count
/// as children of what refers to them, whether they are defined there or only used.
void ForEachChild(const Node* node, absl::FunctionRef<void(const Node*, FieldRole)> f);

/// A traversal with one hook a kind: override `void VisitAdd(const Add*)` and the like in Derived;
/// a hook that wants the children visited calls VisitChildren(node). Buffers met in loads, stores
/// and declarations are visited by VisitBuffer, whose default visits shape, strides and offset, at
/// every mention.
template <class Derived>
class Visitor {
 public:
  void Visit(const Node* node) {
    if (node == nullptr) return;
    WithStack([&] {
      switch (node->kind) {
#define TENON_EXPR(Name)                                \
  case NodeKind::k##Name:                               \
    self().Visit##Name(static_cast<const Name*>(node)); \
    return;
#define TENON_STMT(Name) TENON_EXPR(Name)
#define TENON_ATTR(Name) TENON_EXPR(Name)
#define TENON_PART(Name) TENON_EXPR(Name)
#include "ir/nodes.def"
      }
    });
  }

  void VisitChildren(const Node* node) {
    ForEachChild(node, [this](const Node* child, FieldRole) { self().Visit(child); });
  }

#define TENON_EXPR(Name) \
  void Visit##Name(const Name* node) { VisitChildren(node); }
#define TENON_STMT(Name) TENON_EXPR(Name)
#define TENON_ATTR(Name) TENON_EXPR(Name)
#define TENON_PART(Name) TENON_EXPR(Name)
#include "ir/nodes.def"

 protected:
  Derived& self() { return *static_cast<Derived*>(this); }
};

/// Calls `f(node)` for `root` and everything below it, parents first. `f` returns false to leave a
/// subtree out.
void Walk(const Node* root, absl::FunctionRef<bool(const Node*)> f);

}  // namespace tenon

#endif  // TENON_IR_VISITOR_H_
