#ifndef TENON_BYOC_CALLEE_RENAMER_H_
#define TENON_BYOC_CALLEE_RENAMER_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/analysis/effects.h"
#include "ir/builtins.h"
#include "ir/rewriter.h"

namespace tenon {

/// The name of the callee in the new call; the same name if the call does not change.
using CalleeName = std::function<std::string(const CallSite& site)>;

/// Replaces the callees in calls of functions of `module`.
class CalleeRenamer : public Rewriter<CalleeRenamer> {
 public:
  CalleeRenamer(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
                const CalleeName& callee_name)
      : Rewriter(context, std::move(storage)), module_(module), callee_name_(callee_name) {}

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    const CallSite site = AsCallSite(module_, call);
    if (site.callee == nullptr) return now;
    const std::string name = callee_name_(site);
    if (name == site.name) return now;
    Call copy = *now;
    if (call->op->kind == OpKind::kGlobalCall) {
      copy.callee = builder().context().Intern(name);
    } else {
      std::vector<const Expr*> args(now->args.begin(), now->args.end());
      args[0] = builder().String(name, now->args[0]->range);
      copy.args = arena().Copy(Span<const Expr*>(args.data(), args.size()));
    }
    return arena().New<Call>(copy);
  }

 private:
  const IRModule& module_;
  const CalleeName& callee_name_;
};

}  // namespace tenon

#endif  // TENON_BYOC_CALLEE_RENAMER_H_
