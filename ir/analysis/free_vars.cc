#include "ir/analysis/free_vars.h"

#include "ir/visitor.h"

namespace tenon {

absl::flat_hash_set<const Var*> DefinedVars(const PrimFunc& func, Declarations declarations) {
  absl::flat_hash_set<const Var*> defined;
  const auto add = [&](const Expr* expr) {
    if (const auto* var = dyn_cast_or_null<Var>(expr)) defined.insert(var);
  };
  const auto define = [&](const Node* child, FieldRole role) {
    if (role != FieldRole::kDef) return;
    if (const auto* var = dyn_cast<Var>(child)) defined.insert(var);
    const auto* buffer = dyn_cast<Buffer>(child);
    if (buffer == nullptr) return;
    for (const Expr* extent : buffer->shape) add(extent);
    for (const Expr* stride : buffer->strides) add(stride);
    add(buffer->elem_offset);
  };
  Walk(&func, [&](const Node* node) {
    if (declarations == Declarations::kIncluded || !isa<DeclBuffer>(node))
      ForEachChild(node, define);
    return true;
  });
  return defined;
}

}  // namespace tenon
