// All operators are lowered together, which is fast. If one cannot be lowered, each is lowered
// alone, so that the others still get claims.

#include "byoc/recognise_ops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "analysis/dataflow.h"
#include "byoc/recognise/recognise.h"
#include "fmt/format.h"
#include "ir/analysis/call_graph.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/function_attrs.h"
#include "passes/cleanup/simplify.h"
#include "passes/loops/inline_lets.h"
#include "passes/lowering/flatten_buffers.h"
#include "passes/lowering/lower_blocks.h"

namespace tenon {

namespace {

/// The functions that are operators, by their index in the module.
std::vector<size_t> Operators(const IRModule& module, const CallGraph& calls) {
  const Function* entry = module.Main();
  std::vector<size_t> found;
  for (size_t i = 0; i < module.functions().size(); ++i) {
    const Function& function = module.functions()[i];
    const bool is_entry = entry != nullptr && function.name == entry->name;
    if (calls.CallsOf(i).empty() && (!is_entry || module.functions().size() == 1))
      found.push_back(i);
  }
  return found;
}

/// Functions whose pointer arguments are different variables in all calls, and so point to
/// different memory.
absl::flat_hash_set<size_t> CalledApart(const IRModule& module, const CallGraph& calls) {
  absl::flat_hash_set<size_t> apart;
  absl::flat_hash_set<size_t> together;
  for (size_t caller = 0; caller < module.functions().size(); ++caller) {
    for (const CallGraph::Site& site : calls.CallsOf(caller)) {
      absl::flat_hash_set<const Var*> seen;
      bool good = !site.on_stack;
      for (const Expr* arg : site.call->args) {
        if (isa<StringImm>(arg) || isa<IntImm>(arg)) continue;
        if (const auto* call = dyn_cast<Call>(arg); call != nullptr &&
                                                    call->op->kind == OpKind::kReinterpret &&
                                                    (IsConstInt(call->args[0], 0))) {
          continue;
        }
        const auto* var = dyn_cast<Var>(arg);
        good = good && var != nullptr && seen.insert(var).second;
      }
      (good ? apart : together).insert(site.callee);
    }
  }
  absl::erase_if(apart, [&](size_t callee) { return together.contains(callee); });
  return apart;
}

absl::StatusOr<IRModule> Lowered(const IRModule& module, int threads) {
  Diagnostics diagnostics;
  PassContext context{.diagnostics = diagnostics, .threads = threads, .counters = {}};
  absl::StatusOr<IRModule> lowered = LowerBlocks(module, {}, context);
  if (lowered.ok()) lowered = FlattenBuffers(*lowered, {}, context);
  if (lowered.ok()) lowered = InlineLets(*lowered, {}, context);
  // --link-params=off and lift-params turn constants inside loops into such pointers.
  if (lowered.ok()) {
    lowered = ForEachFunction(*lowered, context, [&](const Function& function, Diagnostics&) {
      return InlinePointerNames(module.context(), function);
    });
  }
  if (lowered.ok()) lowered = Simplify(*lowered, {}, context);
  if (lowered.ok() && diagnostics.has_errors())
    return absl::InvalidArgumentError("it cannot be lowered");
  return lowered;
}

/// The function with a claim that contains only the kind.
Function WithKind(Context& context, const Function& function, std::string_view kind) {
  return WithAttrs(context, function, [&](NodeBuilder& builder, const MapAttr* attrs) {
    return builder.With(attrs, attr_key::kOp, builder.Map({{"kind", builder.StringValue(kind)}}));
  });
}

/// A module of only these functions.
IRModule Of(const IRModule& module, const std::vector<size_t>& functions) {
  IRModule part(module.context());
  part.dialect = module.dialect;
  part.name = module.name;
  part.constants = module.constants;
  for (const size_t i : functions) part.Add(module.functions()[i]);
  return part;
}

}  // namespace

absl::StatusOr<IRModule> RecogniseOps(const IRModule& module, const RecogniseOpsOptions& options,
                                      PassContext& context) {
  const CallGraph calls(module);
  std::vector<size_t> operators = Operators(module, calls);
  if (options.keep) {
    std::erase_if(operators, [&](size_t i) {
      return module.functions()[i].FindAttr(attr_key::kOp) != nullptr;
    });
  }
  const absl::flat_hash_set<size_t> apart = CalledApart(module, calls);
  absl::flat_hash_set<Symbol> apart_names;
  for (const size_t i : apart) apart_names.insert(module.functions()[i].name);
  const IRModule part = Of(module, operators);
  const absl::StatusOr<IRModule> together = Lowered(part, context.threads);
  const auto recognise = [&](const Function& function, Diagnostics&) {
    // If one function cannot be lowered, each function is lowered separately.
    std::optional<absl::StatusOr<IRModule>> alone;
    if (!together.ok()) {
      IRModule single(module.context());
      single.Add(function);
      alone = Lowered(single, 1);
    }
    const absl::StatusOr<IRModule>& lowered = alone ? *alone : together;
    OpInfo info = UnknownOp("it cannot be lowered");
    if (lowered.ok()) {
      const bool apart = apart_names.contains(function.name);
      const ComputationOptions options = {.params_do_not_overlap = apart};
      const Function form =
          ComputationForm(module.context(), *lowered->Find(function.name), options);
      info = Recognise(*form.func, options);
    }
    if (options.kinds_only && info.known()) return WithKind(module.context(), function, info.kind);
    return WithOpInfo(module.context(), function, info);
  };
  const IRModule claimed = ForEachFunction(part, context, recognise);
  IRModule result = module;
  std::map<std::string, int64_t> kinds;
  for (const Function& function : claimed.functions()) {
    ++kinds[ReadOpInfo(function)->kind];
    const Function* before = module.Find(function.name);
    if (before->FindAttr(attr_key::kOp) != nullptr && ReadOpInfo(*before) == ReadOpInfo(function)) {
      continue;
    }
    result.Update(function);
  }
  for (const auto& [kind, count] : kinds)
    context.Count(fmt::format("recognise-ops.{}", kind), count);
  return result;
}

}  // namespace tenon
