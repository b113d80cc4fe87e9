// A variable is defined once in a function. So a copy of a statement gets new variables before it
// goes next to its original. A callee's view of a buffer becomes the caller's view if both are
// equal.

#include "passes/inlining.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/replace_var.h"
#include "ir/rewriter.h"
#include "support/check.h"

namespace tenon {

namespace {

/// Copies a function's body with new variables.
class BodyCopy : public Rewriter<BodyCopy> {
 public:
  using Rewriter::Rewriter;

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
    AddNewVars(callee.body, arena(), var_map);
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
};

}  // namespace

void AddNewVars(const Stmt* body, Arena& arena, absl::flat_hash_map<const Var*, const Var*>& vars) {
  const auto add = [&](const Var* var) {
    if (var != nullptr && !vars.contains(var)) vars[var] = arena.New<Var>(*var);
  };
  Walk(body, [&](const Node* node) {
    if (const auto* loop = dyn_cast<For>(node)) add(loop->loop_var);
    if (const auto* let = dyn_cast<LetStmt>(node)) add(let->var);
    if (const auto* let = dyn_cast<Let>(node)) add(let->var);
    if (const auto* allocate = dyn_cast<Allocate>(node)) add(allocate->buffer_var);
    if (const auto* allocate = dyn_cast<AllocateConst>(node)) add(allocate->buffer_var);
    if (const auto* iter_var = dyn_cast<IterVar>(node)) add(iter_var->var);
    const auto* block = dyn_cast<Block>(node);
    if (block == nullptr) return true;
    for (const Buffer* buffer : block->alloc_buffers) add(buffer->data);
    for (const MatchBufferRegion* match : block->match_buffers) add(match->buffer->data);
    return true;
  });
}

const Stmt* WithNewVars(Context& context, const std::shared_ptr<Storage>& storage,
                        const Stmt* stmt) {
  VarReplacer replacer(context, storage, nullptr, nullptr);
  AddNewVars(stmt, storage->arena(), replacer.var_map);
  return replacer.RewriteStmt(stmt);
}

const For* PartOf(NodeBuilder& builder, const std::shared_ptr<Storage>& storage, const For& loop,
                  int64_t min, int64_t extent) {
  For part = loop;
  part.min = builder.Int(loop.loop_var->dtype, min);
  part.extent = builder.Int(loop.loop_var->dtype, extent);
  return cast<For>(WithNewVars(builder.context(), storage, builder.arena().New<For>(part)));
}

const Stmt* InlinedBody(Context& context, const std::shared_ptr<Storage>& storage,
                        const Function& callee, Span<const Expr*> args, const PrimFunc& caller) {
  TENON_CHECK(args.size() == callee.func->params.size());
  storage->Retain(callee.storage);
  return BodyCopy(context, storage).Run(*callee.func, args, caller);
}

namespace {

/// Replaces every call.
class EveryCall : public Rewriter<EveryCall> {
 public:
  EveryCall(std::shared_ptr<Storage> storage, const IRModule& module, const PrimFunc& caller)
      : Rewriter(module.context(), std::move(storage)), module_(module), caller_(caller) {}

  const Stmt* RewriteEvaluate(const Evaluate* evaluate) {
    const CallSite site = AsCallSite(module_, evaluate->value);
    if (site.callee == nullptr || site.args.size() != site.callee->func->params.size())
      return evaluate;
    const Function callee = WithCalleesInlined(module_, *site.callee);
    return InlinedBody(builder().context(), storage(), callee, site.args, caller_);
  }

 private:
  const IRModule& module_;
  const PrimFunc& caller_;
};

}  // namespace

Function WithCalleesInlined(const IRModule& module, const Function& function) {
  auto storage = std::make_shared<Storage>(function.storage);
  EveryCall rewriter(storage, module, *function.func);
  PrimFunc copy = *function.func;
  copy.body = rewriter.RewriteAny(copy.body);
  if (copy.body == function.func->body) return function;
  return {function.name, storage->arena().New<PrimFunc>(copy), storage};
}

const MapAttr* WithExternsOf(NodeBuilder& builder, const MapAttr* attrs, const Function& callee) {
  const auto* theirs = dyn_cast_or_null<MapAttr>(callee.FindAttr(attr_key::kExterns));
  if (theirs == nullptr) return attrs;
  const auto* own = dyn_cast_or_null<MapAttr>(attrs->Find(attr_key::kExterns));
  for (const MapItem* item : theirs->items) {
    const std::string_view* name = AsString(item->key);
    if (name != nullptr && (own == nullptr || own->Find(*name) == nullptr))
      own = builder.With(own, *name, item->value);
  }
  return builder.With(attrs, attr_key::kExterns, own);
}

std::string_view WhyNotInlined(const IRModule& module, const CallGraph& calls,
                               const Function& function) {
  const Function* entry = module.Main();
  if (entry != nullptr && entry->name == function.name) return "is the entry";
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

bool MayFail(const Stmt* stmt) {
  bool may = false;
  Walk(stmt, [&](const Node* node) {
    const auto* call = dyn_cast<Call>(node);
    may |= isa<AssertStmt>(node) || (call != nullptr && call->op->kind == OpKind::kTvmCheckReturn);
    return !may;
  });
  return may;
}

}  // namespace tenon
