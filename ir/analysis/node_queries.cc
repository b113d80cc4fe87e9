#include "ir/analysis/node_queries.h"

#include "ir/const_fold.h"
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

const Ramp* RowOf(const Buffer* buffer, Span<const Expr*> indices, const Expr* predicate) {
  if (predicate != nullptr || indices.size() != 1 || !buffer->dtype.is_scalar()) return nullptr;
  const auto* ramp = dyn_cast<Ramp>(indices[0]);
  return ramp != nullptr && IsConstInt(ramp->stride, 1) ? ramp : nullptr;
}

const Ramp* RowOf(const Expr* expr) {
  const auto* load = dyn_cast<BufferLoad>(expr);
  return load == nullptr ? nullptr : RowOf(load->buffer, load->indices, load->predicate);
}

bool ReadsMemory(const Expr* expr) {
  bool reads = false;
  Walk(expr, [&](const Node* node) {
    reads |= isa<BufferLoad>(node);
    return !reads;
  });
  return reads;
}

OffsetValue SplitOffset(const Expr* expr) {
  if (const int64_t* constant = AsIntImm(expr)) return {nullptr, *constant};
  if (const auto* add = dyn_cast<Add>(expr)) {
    if (const int64_t* constant = AsIntImm(add->b)) return {add->a, *constant};
  }
  if (const auto* sub = dyn_cast<Sub>(expr)) {
    const int64_t* constant = AsIntImm(sub->b);
    if (constant != nullptr && *constant != INT64_MIN) return {sub->a, -*constant};
  }
  return {expr, 0};
}

bool HasLoop(const Stmt* stmt) {
  bool found = false;
  Walk(stmt, [&](const Node* node) {
    found |= isa<For>(node);
    return !found && Stmt::ClassOf(node);
  });
  return found;
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
