#include "ir/analysis/node_queries.h"

#include "ir/structural.h"
#include "ir/visitor.h"

namespace tenon {

std::vector<const Var*> VarsOf(const Expr* expr) {
  std::vector<const Var*> vars;
  Walk(expr, [&](const Node* node) {
    if (const auto* var = dyn_cast<Var>(node)) vars.push_back(var);
    return true;
  });
  return vars;
}

bool Mentions(const Node* root, const Var* var) {
  bool found = false;
  Walk(root, [&](const Node* node) {
    found |= node == var;
    return !found;
  });
  return found;
}

bool ReadsMemory(const Expr* expr) {
  bool reads = false;
  Walk(expr, [&](const Node* node) {
    reads |= isa<BufferLoad>(node);
    return !reads;
  });
  return reads;
}

bool HaveSameValue(const Expr* a, const Expr* b) {
  return a == b || (VarsOf(a) == VarsOf(b) && StructuralEqual(a, b));
}

size_t NodeCount(const Node* root) {
  size_t count = 0;
  Walk(root, [&](const Node*) {
    ++count;
    return true;
  });
  return count;
}

}  // namespace tenon
