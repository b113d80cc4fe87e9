// Helpers without state of LaneRewriter, whose class is a template in the header. SameExpr ignores
// places in the text, and refuses nodes that define variables.

#include "passes/lowering/lane_expr.h"

#include <fmt/format.h>

#include "ir/builtins.h"

namespace tenon {

bool MovesLanes(const Node* node) {
  bool found = false;
  Walk(node, [&](const Node* n) {
    found |= isa<Shuffle>(n);
    if (const auto* call = dyn_cast<Call>(n)) {
      const OpKind op = call->op->kind;
      found |=
          op == OpKind::kVectorLow || op == OpKind::kVectorHigh || op == OpKind::kVectorCombine;
    }
    return !found && !isa<Buffer>(n);
  });
  return found;
}

bool IsAtom(const Expr* expr) { return isa<Var>(expr) || isa<IntImm>(expr) || isa<FloatImm>(expr); }

bool SameExpr(const Node* a, const Node* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->kind != b->kind || isa<Var>(a) || isa<Buffer>(a)) {
    return false;
  }
  if (!isa<Expr>(a) || static_cast<const Expr*>(a)->dtype != static_cast<const Expr*>(b)->dtype) {
    return false;
  }
  return WithStack([&] {
    return DispatchExpr(static_cast<const Expr*>(a), [&](const auto* typed) {
      using T = std::remove_cvref_t<decltype(*typed)>;
      return ForEachFieldPair(*typed, *static_cast<const T*>(b),
                              [](const char*, const auto& x, const auto& y, FieldRole role) {
                                using V = std::remove_cvref_t<decltype(x)>;
                                if (role == FieldRole::kDef) return false;
                                if constexpr (kIsNodePointer<V>) {
                                  return SameExpr(x, y);
                                } else if constexpr (kIsNodeSpan<V>) {
                                  if (x.size() != y.size()) return false;
                                  for (size_t i = 0; i < x.size(); ++i) {
                                    if (!SameExpr(x[i], y[i])) return false;
                                  }
                                  return true;
                                } else {
                                  return x == y;
                                }
                              });
    });
  });
}

void ReportNoScalarForm(Diagnostics& diagnostics, SourceRange range, std::string_view what) {
  diagnostics.Error(DiagnosticKind::kPass, range,
                    fmt::format("lower-vectors cannot write {} with scalars", what));
}

}  // namespace tenon
