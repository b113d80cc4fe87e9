#include "lowering/reached.h"

#include <vector>

namespace tenon {

absl::flat_hash_set<Symbol> ReachedFunctions(const IRModule& module, const ModuleEffects& effects) {
  absl::flat_hash_set<Symbol> reached;
  std::vector<const Function*> todo;
  if (const Function* main = module.Main()) {
    todo.push_back(main);
  } else {
    for (const Function& function : module.functions()) todo.push_back(&function);
  }
  while (!todo.empty()) {
    const Function* function = todo.back();
    todo.pop_back();
    if (!reached.insert(function->name).second) continue;
    for (const CallSite& call : effects.Of(*function).calls) {
      if (call.callee != nullptr) todo.push_back(call.callee);
    }
  }
  return reached;
}

}  // namespace tenon
