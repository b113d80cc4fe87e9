#include "printer/deep_equal.h"

#include "ir/visitor.h"

namespace tenon {

namespace {

bool SameNode(const Node* a, const Node* b);

template <class T>
bool SameField(const T& a, const T& b) {
  if constexpr (kIsNodePointer<T>) {
    return SameNode(a, b);
  } else if constexpr (kIsNodeSpan<T>) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!SameNode(a[i], b[i])) return false;
    }
    return true;
  } else {
    return a == b;
  }
}

bool SameNode(const Node* a, const Node* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->kind != b->kind) return false;
  if (isa<Var>(a) || isa<Buffer>(a)) return false;
  if (Expr::ClassOf(a) &&
      static_cast<const Expr*>(a)->dtype != static_cast<const Expr*>(b)->dtype) {
    return false;
  }
  return WithStack([&] {
    return Dispatch(a, [&](const auto* node) {
      const auto* other = static_cast<decltype(node)>(b);
      return ForEachFieldPair(
          *node, *other,
          [](const char*, const auto& x, const auto& y, FieldRole) { return SameField(x, y); });
    });
  });
}

}  // namespace

bool SameExpr(const Expr* a, const Expr* b) { return SameNode(a, b); }

bool SameExprs(Span<const Expr*> a, Span<const Expr*> b) { return SameField(a, b); }

}  // namespace tenon
