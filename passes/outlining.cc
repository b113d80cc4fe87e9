// The half of outlining that fusion/ and byoc/ share: bindings around statements, and the free
// variables that become parameters. Their order is that of first use, so signatures are
// deterministic.

#include "passes/outlining.h"

#include "ir/visitor.h"

namespace tenon {

const Stmt* InBindings(NodeBuilder& builder, const std::vector<const Stmt*>& bindings,
                       const Stmt* body) {
  const auto with_body = [&](const auto* binding) -> const Stmt* {
    auto copy = *binding;
    copy.body = body;
    return builder.arena().New<std::remove_cvref_t<decltype(copy)>>(copy);
  };
  for (size_t i = bindings.size(); i-- > 0;) {
    if (const auto* allocate = dyn_cast<Allocate>(bindings[i])) {
      body = with_body(allocate);
    } else if (const auto* constant = dyn_cast<AllocateConst>(bindings[i])) {
      body = with_body(constant);
    } else {
      body = with_body(cast<DeclBuffer>(bindings[i]));
    }
  }
  return body;
}

namespace {

/// Records the variables that `node` itself defines.
void NoteDefined(const Node* node, absl::flat_hash_set<const Var*>& defined) {
  if (const auto* loop = dyn_cast<For>(node)) defined.insert(loop->loop_var);
  if (const auto* let = dyn_cast<LetStmt>(node)) defined.insert(let->var);
  if (const auto* let = dyn_cast<Let>(node)) defined.insert(let->var);
  if (const auto* allocate = dyn_cast<Allocate>(node)) defined.insert(allocate->buffer_var);
  if (const auto* allocate = dyn_cast<AllocateConst>(node)) defined.insert(allocate->buffer_var);
  if (const auto* iter_var = dyn_cast<IterVar>(node)) defined.insert(iter_var->var);
  if (const auto* block = dyn_cast<Block>(node)) {
    for (const Buffer* buffer : block->alloc_buffers) defined.insert(buffer->data);
    for (const MatchBufferRegion* match : block->match_buffers) defined.insert(match->buffer->data);
  }
}

}  // namespace

std::vector<const Var*> FreeVarsOf(const std::vector<const Stmt*>& statements) {
  absl::flat_hash_set<const Var*> seen;
  for (const Stmt* stmt : statements) {
    Walk(stmt, [&](const Node* inner) {
      NoteDefined(inner, seen);
      return true;
    });
  }
  std::vector<const Var*> vars;
  for (const Stmt* stmt : statements) {
    Walk(stmt, [&](const Node* inner) {
      const auto* var = dyn_cast<Var>(inner);
      if (var != nullptr && seen.insert(var).second) vars.push_back(var);
      return true;
    });
  }
  return vars;
}

}  // namespace tenon
