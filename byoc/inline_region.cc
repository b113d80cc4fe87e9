#include "byoc/inline_region.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/call_graph.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/statement_call.h"
#include "ir/attributes.h"
#include "ir/rewriter.h"
#include "ir/structural.h"
#include "passes/function_choice.h"
#include "support/check.h"

namespace tenon {

namespace {

/// A copy of a function's body with variables of its own, so that it can stand in a caller twice.
class BodyCopy : public Rewriter<BodyCopy> {
 public:
  BodyCopy(Context& context, std::shared_ptr<Storage> storage)
      : Rewriter(context, std::move(storage)) {}

  /// `args` are those of the call; `caller` has their buffers.
  const Stmt* Run(const PrimFunc& callee, Span<const Expr*> args, const PrimFunc& caller) {
    std::vector<std::pair<const Var*, const Expr*>> lets;
    for (size_t i = 0; i < args.size(); ++i) {
      const Buffer* buffer = callee.buffers[i];
      const Var* var = dyn_cast<Var>(args[i]);
      if (var == nullptr) {
        const Type* type = buffer != nullptr ? buffer->data->type : callee.params[i]->type;
        var = builder().NewVar(callee.params[i]->name.view(), type, args[i]->range);
        lets.emplace_back(var, args[i]);
      }
      var_map[callee.params[i]] = var;
      if (buffer == nullptr) continue;
      var_map[buffer->data] = var;
      for (const Buffer* own : caller.buffers) {
        if (own != nullptr && own->data == var && SameView(*own, *buffer)) buffer_map[buffer] = own;
      }
    }
    Walk(callee.body, [&](const Node* node) {
      Rename(node);
      return true;
    });
    const Stmt* body = RewriteStmt(callee.body);
    if (body == nullptr) body = builder().NoOp();
    for (size_t i = lets.size(); i-- > 0;)
      body = builder().New<LetStmt>(body->range, lets[i].first, lets[i].second, body);
    return body;
  }

 private:
  static bool SameView(const Buffer& a, const Buffer& b) {
    const auto same = [](Span<const Expr*> x, Span<const Expr*> y) {
      return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Expr* p, const Expr* q) {
        return AsIntImm(p) != nullptr && AsIntImm(q) != nullptr && *AsIntImm(p) == *AsIntImm(q);
      });
    };
    const int64_t* offset_a = AsIntImm(a.elem_offset);
    const int64_t* offset_b = AsIntImm(b.elem_offset);
    return a.dtype == b.dtype && same(a.shape, b.shape) && same(a.strides, b.strides) &&
           offset_a != nullptr && offset_b != nullptr && *offset_a == *offset_b;
  }

  void Rename(const Node* node) {
    if (const auto* loop = dyn_cast<For>(node)) NewName(loop->loop_var);
    if (const auto* let = dyn_cast<LetStmt>(node)) NewName(let->var);
    if (const auto* let = dyn_cast<Let>(node)) NewName(let->var);
    if (const auto* allocate = dyn_cast<Allocate>(node)) NewName(allocate->buffer_var);
    if (const auto* allocate = dyn_cast<AllocateConst>(node)) NewName(allocate->buffer_var);
    if (const auto* iter_var = dyn_cast<IterVar>(node)) NewName(iter_var->var);
    const auto* block = dyn_cast<Block>(node);
    if (block == nullptr) return;
    for (const Buffer* buffer : block->alloc_buffers) NewName(buffer->data);
    for (const MatchBufferRegion* match : block->match_buffers) NewName(match->buffer->data);
  }

  void NewName(const Var* var) {
    if (var != nullptr && !var_map.contains(var)) var_map[var] = arena().New<Var>(*var);
  }
};

/// Replaces calls in one function.
class Inliner : public Rewriter<Inliner> {
 public:
  Inliner(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
          const absl::flat_hash_set<Symbol>& chosen, const Function& caller, int64_t& calls,
          Diagnostics& diagnostics)
      : Rewriter(context, std::move(storage)),
        module_(module),
        chosen_(chosen),
        caller_(caller),
        calls_(calls),
        diagnostics_(diagnostics) {}

  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    PrimFunc copy = *function;
    copy.body = RewriteAny(function->body);
    if (copy.body == function->body) return function;
    for (const Function* callee : inlined_) copy.attrs = WithExterns(copy.attrs, *callee);
    return arena().New<PrimFunc>(copy);
  }

  const Stmt* RewriteEvaluate(const Evaluate* evaluate) {
    const auto [site, is_checked] = CallOfStatement(module_, evaluate);
    if (site.callee == nullptr || !chosen_.contains(site.callee->name))
      return RewriteChildren(evaluate);
    const PrimFunc& callee = *site.callee->func;
    if (site.args.size() != callee.params.size()) {
      Refuse(site, "its arguments are not its parameters");
    } else if (!is_checked && HasCheck(callee.body)) {
      Refuse(site, "it may return early, and the call does not look at its status");
    } else {
      ++calls_;
      inlined_.push_back(site.callee);
      storage()->Retain(site.callee->storage);
      return BodyCopy(builder().context(), storage()).Run(callee, site.args, *caller_.func);
    }
    return evaluate;
  }

  const Expr* RewriteCall(const Call* call) {
    const CallSite site = AsCallSite(module_, call);
    if (site.callee != nullptr && chosen_.contains(site.callee->name))
      Refuse(site, "the call is inside of an expression");
    return RewriteChildren(call);
  }

 private:
  void Refuse(const CallSite& site, std::string_view why) {
    diagnostics_.Error(DiagnosticKind::kPass, site.call->range,
                       fmt::format("`{}` cannot be inlined here: {}", site.name, why));
  }

  static bool HasCheck(const Stmt* body) {
    bool has = false;
    Walk(body, [&](const Node* node) {
      const auto* call = dyn_cast<Call>(node);
      has |=
          isa<AssertStmt>(node) || (call != nullptr && call->op->kind == OpKind::kTvmCheckReturn);
      return !has;
    });
    return has;
  }

  /// `attrs` with the callee's declarations of externs.
  const MapAttr* WithExterns(const MapAttr* attrs, const Function& callee) {
    const auto* theirs = dyn_cast_or_null<MapAttr>(callee.FindAttr(attr_key::kExterns));
    if (theirs == nullptr) return attrs;
    const auto* own = dyn_cast_or_null<MapAttr>(attrs->Find(attr_key::kExterns));
    for (const MapItem* item : theirs->items) {
      const std::string_view* name = AsString(item->key);
      if (name != nullptr && (own == nullptr || own->Find(*name) == nullptr))
        own = builder().With(own, *name, item->value);
    }
    return builder().With(attrs, attr_key::kExterns, own);
  }

  const IRModule& module_;
  const absl::flat_hash_set<Symbol>& chosen_;
  const Function& caller_;
  int64_t& calls_;
  Diagnostics& diagnostics_;
  std::vector<const Function*> inlined_;
};

/// Why a function has to stay one; empty when it need not.
std::string_view WhyNot(const IRModule& module, const CallGraph& calls, const Function& function) {
  if (&function == module.Main()) return "is the entry";
  if (calls.Recursion(calls.IndexOf(function.name)) != nullptr) return "is recursive";
  bool leaves = false;
  Walk(function.func->body, [&](const Node* node) {
    const auto* call = dyn_cast<Call>(node);
    leaves |= call != nullptr &&
              (call->op->kind == OpKind::kRet || call->op->kind == OpKind::kTvmThrowLastError);
    return !leaves;
  });
  return leaves ? "may return early" : "";
}

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
    const std::string_view why = WhyNot(module, calls, function);
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
  // Callees first: a body that is copied has no calls of chosen functions any more.
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
