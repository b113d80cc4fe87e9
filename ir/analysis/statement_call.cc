#include "ir/analysis/statement_call.h"

#include "ir/builtins.h"

namespace tenon {

StatementCall CallOfStatement(const IRModule& module, const Stmt* stmt) {
  const auto* evaluate = dyn_cast_or_null<Evaluate>(stmt);
  if (evaluate == nullptr) return {};
  const auto* call = dyn_cast<Call>(evaluate->value);
  const bool is_checked = call != nullptr && call->op->kind == OpKind::kTvmCheckReturn;
  return {AsCallSite(module, is_checked ? call->args[2] : evaluate->value), is_checked};
}

}  // namespace tenon
