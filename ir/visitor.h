#ifndef TENON_IR_VISITOR_H_
#define TENON_IR_VISITOR_H_

#include "absl/functional/function_ref.h"
#include "ir/function.h"
#include "support/stack.h"

// Three ways to traverse the tree: Dispatch (one node, by kind), Visitor (a class with one hook per
// kind) and Walk (lambdas, in pre-order). Rewriting is in ir/rewriter.h.

namespace tenon {

/// Calls `f` with `node` cast to its concrete type.
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

/// As Dispatch, but only for expressions or for statements, which makes less code.
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

/// Calls `f(child, role)` for every non-null child of `node`, in field order. A buffer is a child
/// of every node that defines or uses it.
void ForEachChild(const Node* node, absl::FunctionRef<void(const Node*, FieldRole)> f);

/// A traversal with one hook per kind: define `void VisitAdd(const Add*)` etc. in Derived. A hook
/// calls VisitChildren(node) to visit the children. VisitBuffer visits the buffers of loads, stores
/// and declarations at every mention; by default it visits shape, strides and offset.
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

/// Calls `f(node)` for `root` and its descendants, parents first. `f` returns false to skip the
/// descendants of a node.
void Walk(const Node* root, absl::FunctionRef<bool(const Node*)> f);

}  // namespace tenon

#endif  // TENON_IR_VISITOR_H_
