#include "ir/analysis/extern_uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "ir/analysis/effects.h"
#include "ir/builtins.h"
#include "ir/emitted_names.h"
#include "ir/external_code.h"
#include "ir/library_functions.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

/// The symbol by which generated code calls a function outside the module. Empty for other calls.
std::string_view CalledSymbol(const IRModule& module, const Call* call) {
  // TVM's runtime looks these up in a table of its own.
  if (call->op->kind == OpKind::kCallPacked) return {};
  if (call->op->kind == OpKind::kCallCPackedLowered) {
    const auto* name = call->args.empty() ? nullptr : dyn_cast<StringImm>(call->args[0]);
    return name == nullptr || module.FindCallee(name->value) != nullptr ? std::string_view()
                                                                        : name->value;
  }
  const CallSite site = AsCallSite(module, call);
  return site.call == nullptr || site.callee != nullptr ? std::string_view() : site.name;
}

bool IsHarmless(std::string_view name) {
  return MathOpOfName(name) != OpKind::kUnknown || IsMemoryFunction(name);
}

}  // namespace

std::vector<ExternUse> ExternUses(const IRModule& module) {
  std::vector<ExternUse> uses;
  std::set<std::string> seen;
  std::set<std::string> generated;
  for (const ExternalCode& code : ReadDeclaredExternals(module)) generated.insert(code.symbol);
  const auto add = [&](std::string_view name, SourceRange range) {
    if (name.empty()) return;
    std::string symbol = SanitizeName(name);
    if (!seen.insert(symbol).second) return;
    const bool is_generated = generated.contains(symbol);
    uses.push_back({std::move(symbol), !IsHarmless(name), range, is_generated});
  };
  for (const Function& function : module.functions()) {
    for (const ExternalInit& init : ReadExternalInits(*function.func)) {
      for (const std::string& symbol : {init.symbol, init.fini}) {
        generated.insert(symbol);
        add(symbol, function.func->range);
      }
    }
    Walk(function.func->body, [&](const Node* node) {
      if (const auto* call = dyn_cast<Call>(node)) add(CalledSymbol(module, call), call->range);
      return true;
    });
  }
  return uses;
}

std::vector<ExternUse> UntrustedExterns(std::vector<ExternUse> uses,
                                        std::span<const std::string> allowed) {
  std::erase_if(uses, [&](const ExternUse& use) {
    return !use.may_affect_machine ||
           std::find(allowed.begin(), allowed.end(), use.symbol) != allowed.end();
  });
  return uses;
}

void ReportUntrusted(const ExternUse& use, Diagnostics& diagnostics) {
  if (use.is_generated) {
    diagnostics.Error(
        DiagnosticKind::kUnknownFunction, use.range,
        fmt::format("no file or library of the code generator defines `{}`, expected a function of "
                    "this name with the linkage of C, as its answer says",
                    use.symbol));
    return;
  }
  diagnostics.Error(
      DiagnosticKind::kUnknownFunction, use.range,
      fmt::format("`{0}` is neither in the module nor given by --link, and code in this process "
                  "may not call other functions; give its code with --engine=c --link=my.c, or if "
                  "you trust the module, allow the process's function with --allow-extern={0}",
                  use.symbol));
}

}  // namespace tenon
