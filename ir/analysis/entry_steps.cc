#include "ir/analysis/entry_steps.h"

#include "ir/analysis/effects.h"
#include "ir/debug_tensors.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

/// The function that an expression calls first; empty if it calls none.
std::string CalledFunction(const IRModule& module, const Expr* expr) {
  std::string name;
  Walk(expr, [&](const Node* node) {
    const auto* inner = dyn_cast<Expr>(node);
    if (inner == nullptr || !name.empty()) return false;
    const CallSite site = AsCallSite(module, inner);
    if (site.call != nullptr) name = site.name;
    return name.empty();
  });
  return name;
}

bool HasEvaluate(const Stmt* stmt) {
  bool found = false;
  Walk(stmt, [&](const Node* inner) {
    found |= isa<Evaluate>(inner);
    return !found && !isa<Expr>(inner);
  });
  return found;
}

}  // namespace

std::vector<EntryStep> EntrySteps(const IRModule& module, const Function& entry) {
  std::vector<EntryStep> steps;
  Walk(entry.func->body, [&](const Node* node) {
    const auto* stmt = dyn_cast<Stmt>(node);
    if (stmt == nullptr) return false;
    if (const auto* evaluate = dyn_cast<Evaluate>(stmt)) {
      std::string name = CalledFunction(module, evaluate->value);
      if (name != kDebugTensorFunction) steps.push_back({stmt, std::move(name)});
      return false;
    }
    // Calls count, and not the statement around them.
    const bool is_nest = isa<For>(stmt) || isa<While>(stmt) || isa<BufferStore>(stmt);
    if (!is_nest || HasEvaluate(stmt)) return true;
    steps.push_back({stmt, {}});
    return false;
  });
  return steps;
}

}  // namespace tenon
