#include "printer/type_vars.h"

#include <algorithm>

#include "ir/visitor.h"

namespace tenon {

std::vector<const Var*> TypeVarsOf(const PrimFunc& func) {
  std::vector<const Var*> found;
  const auto collect = [&](const Expr* field) {
    if (isa<IntImm>(field)) return;
    Walk(field, [&](const Node* node) {
      const auto* var = dyn_cast<Var>(node);
      if (var == nullptr || var->dtype != DataType::Int(64)) return true;
      const bool is_param =
          std::find(func.params.begin(), func.params.end(), var) != func.params.end();
      const bool is_known = std::find(found.begin(), found.end(), var) != found.end();
      if (!is_param && !is_known) found.push_back(var);
      return true;
    });
  };
  for (const Buffer* buffer : func.buffers) {
    if (buffer == nullptr) continue;
    for (const Expr* extent : buffer->shape) collect(extent);
    for (const Expr* stride : buffer->strides) collect(stride);
    collect(buffer->elem_offset);
  }
  std::sort(found.begin(), found.end(),
            [](const Var* a, const Var* b) { return a->name.view() < b->name.view(); });
  return found;
}

}  // namespace tenon
