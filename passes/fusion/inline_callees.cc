// Callees come first, so that a copied body has no calls that could still be inlined. A budget of
// nodes bounds the entry. A callee's promise that its arguments do not overlap becomes a promise of
// the caller.

#include "passes/fusion/inline_callees.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/call_graph.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/node_queries.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/rewriter.h"
#include "ir/structural.h"
#include "passes/fusion/origins.h"
#include "passes/fusion/top_level.h"
#include "passes/inlining.h"
#include "passes/lowering/lower_packed_calls.h"

namespace tenon {

namespace {

/// A view whose place and shape do not depend on what the caller passes.
bool IsFixed(const Buffer& buffer) {
  return StaticCount(buffer.shape) && StaticShape(buffer.strides) &&
         AsIntImm(buffer.elem_offset) != nullptr;
}

/// True if the function's code comes from elsewhere, or gets more than its arguments.
bool HasOwnRules(const Function& function) {
  for (const std::string_view key : {attr_key::kCompiler, attr_key::kExternal, attr_key::kPoolArgs,
                                     attr_key::kLinkParams, attr_key::kCallingConv}) {
    if (function.FindAttr(key) != nullptr) return true;
  }
  return false;
}

bool HasBlocks(const Stmt* body) {
  bool has = false;
  Walk(body, [&](const Node* node) {
    has |= isa<Block>(node);
    return !has;
  });
  return has;
}

bool MayBeInlined(const IRModule& module, const CallGraph& calls, const Function& function) {
  const PrimFunc& func = *function.func;
  return WhyNotInlined(module, calls, function).empty() && !HasOwnRules(function) &&
         !HasBlocks(func.body) &&
         std::all_of(func.buffers.begin(), func.buffers.end(),
                     [](const Buffer* buffer) { return buffer == nullptr || IsFixed(*buffer); });
}

/// Notes at the outermost loops the function from which they come.
class OriginNotes : public Rewriter<OriginNotes> {
 public:
  OriginNotes(Context& context, std::shared_ptr<Storage> storage, std::string origin)
      : Rewriter(context, std::move(storage)), origins_{std::move(origin)} {}

  const Stmt* RewriteFor(const For* loop) {
    const bool has =
        loop->annotations != nullptr && loop->annotations->Find(attr_key::kOrigins) != nullptr;
    return has ? loop : WithOrigins(builder(), loop, origins_);
  }

 private:
  Origins origins_;
};

/// Replaces calls in one function.
class Inliner : public CallInliner<Inliner> {
 public:
  Inliner(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
          const absl::flat_hash_set<Symbol>& chosen, const Function& caller, int64_t& calls,
          int64_t& budget)
      : CallInliner(context, std::move(storage), module, chosen, caller, calls), budget_(budget) {}

  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    const PrimFunc* now = CallInliner::RewriteFunc(function);
    if (now == function || IsNoAlias(*function) || !AreAllApart(*function)) return now;
    PrimFunc copy = *now;
    const Attr* yes = builder().ExprValue(builder().Bool(true));
    copy.attrs = builder().With(copy.attrs, attr_key::kNoAlias, yes);
    return arena().New<PrimFunc>(copy);
  }

  const Stmt* RewriteFor(const For* loop) {
    if (loop->for_kind != ForKind::kSerial && loop->for_kind != ForKind::kUnrolled) return loop;
    ++depth_;
    const For* now = RewriteChildren(loop);
    --depth_;
    return now;
  }

  const Stmt* RewriteIfThenElse(const IfThenElse* branch) {
    ++depth_;
    const IfThenElse* now = RewriteChildren(branch);
    --depth_;
    return now;
  }

  const Stmt* RewriteWhile(const While* loop) {
    ++depth_;
    const While* now = RewriteChildren(loop);
    --depth_;
    return now;
  }

  const Stmt* RewriteAttrStmt(const AttrStmt* attr) {
    const bool stays = attr->key == attr_key::kRegion || attr->key == attr_key::kThreadExtent ||
                       attr->key == attr_key::kVirtualThread;
    return stays ? attr : RewriteChildren(attr);
  }

  const Stmt* RewriteEvaluate(const Evaluate* evaluate) {
    const auto* call = dyn_cast<Call>(evaluate->value);
    const bool is_checked =
        call != nullptr && call->op->kind == OpKind::kTvmCheckReturn && call->args.size() == 3;
    const CallSite site = AsCallSite(module(), is_checked ? call->args[2] : evaluate->value);
    if (site.callee == nullptr || !Fits(site, is_checked)) return evaluate;
    const auto size = static_cast<int64_t>(NodeCount(site.callee->func->body));
    if (size > budget_) return evaluate;
    budget_ -= size;
    NotePairs(site);
    const Stmt* body = Inline(site);
    return OriginNotes(builder().context(), storage(), CallName(site)).RewriteStmt(body);
  }

 private:
  bool Fits(const CallSite& site, bool is_checked) const {
    const PrimFunc& callee = *site.callee->func;
    if (!IsChosen(site) || site.args.size() != callee.params.size()) return false;
    for (size_t i = 0; i < site.args.size(); ++i) {
      const DataType wanted = callee.params[i]->dtype;
      const DataType found = site.args[i]->dtype;
      if (wanted.is_handle() ? !found.is_handle() : wanted != found) return false;
    }
    return (is_checked || !MayFail(callee.body)) && AgreesOnExterns(*site.callee);
  }

  std::string CallName(const CallSite& site) {
    const Symbol name = site.callee->name;
    const int number = ++calls_of_[name];
    return number == 1 ? std::string(name.view()) : fmt::format("{}@{}", name.view(), number);
  }

  /// False if caller and callee declare an external function differently.
  bool AgreesOnExterns(const Function& callee) const {
    const auto* theirs = dyn_cast_or_null<MapAttr>(callee.FindAttr(attr_key::kExterns));
    const auto* own = dyn_cast_or_null<MapAttr>(caller().FindAttr(attr_key::kExterns));
    if (theirs == nullptr || own == nullptr) return true;
    return std::all_of(theirs->items.begin(), theirs->items.end(), [&](const MapItem* item) {
      const std::string_view* name = AsString(item->key);
      const Attr* mine = name == nullptr ? nullptr : own->Find(*name);
      return mine == nullptr || StructuralEqual(mine, item->value);
    });
  }

  /// A callee with `tir.noalias` that always runs shows that the caller's parameters do not
  /// overlap.
  void NotePairs(const CallSite& site) {
    if (depth_ > 0 || !IsNoAlias(*site.callee->func)) return;
    for (const Expr* a : site.args) {
      for (const Expr* b : site.args) {
        const Var* x = ParamOf(a);
        const Var* y = ParamOf(b);
        if (x != nullptr && y != nullptr && x != y) apart_.insert({x, y});
      }
    }
  }

  /// The parameter of the caller that a variable refers to, or null.
  const Var* ParamOf(const Expr* expr) const {
    const auto* var = dyn_cast<Var>(expr);
    const PrimFunc& func = *caller().func;
    for (size_t i = 0; var != nullptr && i < func.params.size(); ++i) {
      const Buffer* buffer = func.buffers[i];
      if (func.params[i] == var || (buffer != nullptr && buffer->data == var))
        return func.params[i];
    }
    return nullptr;
  }

  bool AreAllApart(const PrimFunc& function) const {
    int pointers = 0;
    for (const Var* a : function.params) {
      if (!a->dtype.is_handle()) continue;
      ++pointers;
      for (const Var* b : function.params) {
        if (b->dtype.is_handle() && a != b && !apart_.contains({a, b})) return false;
      }
    }
    return pointers > 1;
  }

  /// Nodes by which inlining may still grow the entry.
  int64_t& budget_;
  absl::flat_hash_map<Symbol, int> calls_of_;
  /// Parameters of the caller that do not overlap, in both orders.
  absl::flat_hash_set<std::pair<const Var*, const Var*>> apart_;
  /// The number of loops and conditions around.
  int depth_ = 0;
};

/// Brings the entry into the form of allocations and a list of nests.
Function Normalized(Context& context, const Function& function) {
  auto storage = std::make_shared<Storage>(function.storage);
  NodeBuilder builder(context, storage->arena());
  PrimFunc copy = *function.func;
  copy.body = JoinTopLevel(builder, SplitTopLevel(function.func->body));
  const PrimFunc* func = builder.arena().New<PrimFunc>(copy);
  return WithElementTypes(context, {function.name, func, std::move(storage)});
}

/// Removes functions that had calls and have none now. Returns how many.
int64_t RemoveUncalled(const CallGraph& before, const std::vector<size_t>& callees_first,
                       const IRModule& module, IRModule& result) {
  int64_t removed = 0;
  for (size_t i = callees_first.size(); i-- > 0;) {
    const Function& function = module.functions()[callees_first[i]];
    const Function* entry = result.Main();
    const CallGraph after(result);
    const bool is_entry = entry != nullptr && entry->name == function.name;
    if (is_entry || !before.IsCalled(callees_first[i]) ||
        after.IsCalled(after.IndexOf(function.name)))
      continue;
    result.Remove(function.name);
    ++removed;
  }
  return removed;
}

}  // namespace

absl::StatusOr<IRModule> InlineCallees(const IRModule& module, const InlineCalleesOptions& options,
                                       PassContext& context) {
  if (options.max_nodes < 0)
    return absl::InvalidArgumentError("option `max-nodes` is negative, expected 0 or more");
  const Function* entry = module.Main();
  if (entry == nullptr || IsPlanned(*entry)) return module;
  const absl::StatusOr<IRModule> direct = LowerPackedCalls(module, {}, context);
  if (!direct.ok()) return direct;
  const CallGraph before(*direct);
  const std::vector<size_t> order = before.CalleesFirst(before.IndexOf(entry->name));
  absl::flat_hash_set<Symbol> chosen;
  for (const size_t index : order) {
    const Function& function = direct->functions()[index];
    if (MayBeInlined(*direct, before, function)) chosen.insert(function.name);
  }
  // Callees first: a body that is copied has no calls of chosen functions any more.
  IRModule expanded = *direct;
  int64_t calls = 0;
  int64_t budget = options.max_nodes;
  for (const size_t index : order) {
    const Function& function = direct->functions()[index];
    calls = 0;
    expanded.Update(RewriteFunction<Inliner>(module.context(), function, expanded, chosen, function,
                                             calls, budget));
  }
  if (calls == 0) return module;
  IRModule result = *direct;
  result.Update(Normalized(module.context(), *expanded.Find(entry->name)));
  context.Count("inline-callees.calls", calls);
  context.Count("inline-callees.functions", RemoveUncalled(before, order, *direct, result));
  return result;
}

}  // namespace tenon
