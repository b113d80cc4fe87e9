// A packed call of a function of the module needs no convention that others know, so its arguments
// go straight to the parameters. A check around the call keeps the meaning of its status.

#include "passes/lowering/lower_packed_calls.h"

#include "ir/analysis/effects.h"
#include "ir/builtins.h"
#include "ir/rewriter.h"

namespace tenon {

namespace {

bool IsPackedCall(const Expr* expr) {
  const auto* call = dyn_cast_or_null<Call>(expr);
  return call != nullptr &&
         (call->op->kind == OpKind::kCallPacked || call->op->kind == OpKind::kCallCPacked);
}

/// The data pointer of T.tvm_stack_make_array, or the expression itself.
const Expr* Unpacked(const Expr* arg) {
  const auto* call = dyn_cast<Call>(arg);
  const bool array = call != nullptr && call->op->kind == OpKind::kTvmStackMakeArray;
  return array ? call->args[0] : arg;
}

class PackedCallLowerer : public Rewriter<PackedCallLowerer> {
 public:
  PackedCallLowerer(Context& context, std::shared_ptr<Storage> storage, const IRModule& module)
      : Rewriter(context, std::move(storage)), module_(module) {}

  const Stmt* RewriteEvaluate(const Evaluate* evaluate) {
    const Expr* now = RewriteExpr(evaluate->value);
    if (now == evaluate->value) return evaluate;
    if (!IsPackedCall(evaluate->value) || IsPackedCall(now)) {
      return builder().New<Evaluate>(evaluate->range, now);
    }
    const Expr* checked = builder().NewCall(
        DataType::Int(32), OpKind::kTvmCheckReturn,
        {builder().Int(0, now->range), builder().Int(-1, now->range), now}, now->range);
    return builder().New<Evaluate>(evaluate->range, checked);
  }

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    if (!IsPackedCall(call)) return now;
    const CallSite site = AsCallSite(module_, now);
    if (site.call == nullptr || site.callee == nullptr) return now;
    size_t count = site.args.size();
    const size_t wanted = site.callee->func->params.size();
    if (call->op->kind == OpKind::kCallCPacked && count == wanted + 1) --count;
    if (count != wanted) return now;
    std::vector<const Expr*> args = {builder().String(site.name, now->args[0]->range)};
    for (const Expr* arg : site.args.first(count)) args.push_back(Unpacked(arg));
    return builder().New<Call>(call->range, DataType::Int(32), Op::Get(OpKind::kCallExtern),
                               arena().Copy(Span<const Expr*>(args.data(), args.size())));
  }

 private:
  const IRModule& module_;
};

}  // namespace

absl::StatusOr<IRModule> LowerPackedCalls(const IRModule& module, const NoOptions&,
                                          PassContext& context) {
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<PackedCallLowerer>(module.context(), function, module);
  });
}

}  // namespace tenon
