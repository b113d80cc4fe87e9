// Callees come first, so that a copied body contains no calls of chosen functions. This pass is
// used if a generator fails, so that the host computes the operators.

#include "byoc/inline_region.h"

#include <fmt/format.h>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/call_graph.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/statement_call.h"
#include "ir/attributes.h"
#include "ir/rewriter.h"
#include "passes/function_choice.h"
#include "passes/inlining.h"

namespace tenon {

namespace {

/// Replaces calls in one function.
class Inliner : public CallInliner<Inliner> {
 public:
  Inliner(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
          const absl::flat_hash_set<Symbol>& chosen, const Function& caller, int64_t& calls,
          Diagnostics& diagnostics)
      : CallInliner(context, std::move(storage), module, chosen, caller, calls),
        diagnostics_(diagnostics) {}

  const Stmt* RewriteEvaluate(const Evaluate* evaluate) {
    const auto [site, is_checked] = CallOfStatement(module(), evaluate);
    if (!IsChosen(site)) return RewriteChildren(evaluate);
    const PrimFunc& callee = *site.callee->func;
    if (site.args.size() != callee.params.size()) {
      Refuse(site, "its arguments are not its parameters");
    } else if (!is_checked && MayFail(callee.body)) {
      Refuse(site, "it may return early, and the call does not look at its status");
    } else {
      return Inline(site);
    }
    return evaluate;
  }

  const Expr* RewriteCall(const Call* call) {
    const CallSite site = AsCallSite(module(), call);
    if (IsChosen(site)) Refuse(site, "the call is inside of an expression");
    return RewriteChildren(call);
  }

 private:
  void Refuse(const CallSite& site, std::string_view why) {
    diagnostics_.Error(DiagnosticKind::kPass, site.call->range,
                       fmt::format("`{}` cannot be inlined here: {}", site.name, why));
  }

  Diagnostics& diagnostics_;
};

/// The functions that the options name.
bool ChooseFunctions(const IRModule& module, const InlineRegionOptions& options,
                     Diagnostics& diagnostics, absl::flat_hash_set<Symbol>& chosen) {
  for (const std::string_view name : WordsOf(options.functions)) {
    if (const Function* function = module.FindCallee(name)) {
      chosen.insert(function->name);
    } else {
      diagnostics.Error(DiagnosticKind::kPass, {}, NoSuchFunction(module, name));
    }
  }
  std::string attr = options.attr;
  if (attr.empty() && options.functions.empty()) attr = std::string(attr_key::kCompiler);
  for (const Function& function : module.functions()) {
    if (!attr.empty() && HasAttrLike(function, attr)) chosen.insert(function.name);
  }
  const CallGraph calls(module);
  for (const Function& function : module.functions()) {
    if (!chosen.contains(function.name)) continue;
    const std::string_view why = WhyNotInlined(module, calls, function);
    if (why.empty()) continue;
    diagnostics.Error(DiagnosticKind::kPass, function.func->range,
                      fmt::format("`{}` cannot be inlined: it {}", function.name.view(), why));
  }
  return !diagnostics.has_errors();
}

}  // namespace

absl::StatusOr<IRModule> InlineRegion(const IRModule& module, const InlineRegionOptions& options,
                                      PassContext& context) {
  absl::flat_hash_set<Symbol> chosen;
  if (!ChooseFunctions(module, options, context.diagnostics, chosen))
    return absl::InvalidArgumentError("a function cannot be inlined");
  IRModule result = module;
  int64_t calls = 0;
  // Callees first: a copied body then has no calls of chosen functions left.
  const CallGraph before(module);
  for (const size_t index : before.CalleesFirst()) {
    const Function& function = module.functions()[index];
    result.Update(RewriteFunction<Inliner>(module.context(), function, result, chosen, function,
                                           calls, context.diagnostics));
  }
  if (context.diagnostics.has_errors())
    return absl::InvalidArgumentError("a call cannot be inlined");
  const CallGraph after(result);
  std::vector<Symbol> unused;
  for (const Function& function : result.functions()) {
    if (chosen.contains(function.name) && !after.IsCalled(after.IndexOf(function.name)))
      unused.push_back(function.name);
  }
  for (const Symbol name : unused) result.Remove(name);
  context.Count("inline-region.functions", static_cast<int64_t>(unused.size()));
  context.Count("inline-region.calls", calls);
  return result;
}

}  // namespace tenon
