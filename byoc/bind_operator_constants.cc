// In some modules, constants are in operators, in others in the function that calls them. Claims
// are proven from the constants inside of an operator, so this step runs before recognition.

#include "byoc/bind_operator_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "byoc/call_flow.h"
#include "byoc/callee_renamer.h"
#include "ir/analysis/call_graph.h"
#include "ir/analysis/effects.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/function_attrs.h"
#include "ir/function_interface.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

/// The constants of a call, by the index of their parameter.
using BoundArgs = std::vector<std::pair<size_t, const Constant*>>;

/// True only for operators of small integers, because constants prove no members for floats. A
/// claim of the module would name other parameters.
bool IsQuantised(const Function& function) {
  if (function.FindAttr(attr_key::kOp) != nullptr) return false;
  bool has_bytes = false;
  for (const Buffer* buffer : function.func->buffers) {
    if (buffer == nullptr || buffer->dtype.is_floating()) return false;
    has_bytes |= buffer->dtype.is_integer() && buffer->dtype.bits() == 8;
  }
  return has_bytes;
}

bool HasBytesOf(const Buffer& buffer, const AllocateConst& allocate) {
  return allocate.data != nullptr && buffer.dtype == allocate.dtype && CompactShape(buffer) &&
         StaticBytes(buffer.dtype, buffer.shape) == allocate.data->size_bytes();
}

class Binder {
 public:
  explicit Binder(const IRModule& module) : module_(module), result_(module) {}

  IRModule Run();
  /// The name of the function with these constants inside.
  Symbol NameOf(const Function& callee, const BoundArgs& bound);

 private:
  void Add(const Function& callee, const BoundArgs& bound, Symbol name);
  /// Removes operators without calls. An operator with one list of constants keeps its name.
  void RemoveUnused();

  const IRModule& module_;
  IRModule result_;
  std::map<std::pair<std::string_view, BoundArgs>, Symbol> made_;
};

/// Replaces the calls of one graph function.
class CallBinder : public Rewriter<CallBinder> {
 public:
  CallBinder(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
             Binder& binder)
      : Rewriter(context, std::move(storage)), module_(module), binder_(binder) {}

  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    for (const AllocateConst* constant : ConstantsOf(*function))
      constants_.emplace(constant->buffer_var, constant);
    if (constants_.empty()) return function;
    PrimFunc copy = *function;
    copy.body = RewriteAny(function->body);
    return copy.body == function->body ? function : arena().New<PrimFunc>(copy);
  }

  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    const AllocateConst* now = RewriteChildren(allocate);
    if (now == allocate) return now;
    bool is_used = false;
    Walk(now->body, [&](const Node* node) {
      is_used |= node == allocate->buffer_var;
      return !is_used;
    });
    return is_used ? now : now->body;
  }

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    const CallSite site = AsCallSite(module_, call);
    const bool is_plain =
        call->op->kind == OpKind::kCallExtern || call->op->kind == OpKind::kGlobalCall;
    if (!is_plain || site.callee == nullptr || !IsQuantised(*site.callee)) return now;
    const PrimFunc& callee = *site.callee->func;
    if (site.args.size() != callee.params.size()) return now;
    BoundArgs bound;
    std::vector<const Expr*> args;
    const bool is_global = call->op->kind == OpKind::kGlobalCall;
    for (size_t i = 0; i < site.args.size(); ++i) {
      const auto* var = dyn_cast<Var>(site.args[i]);
      const auto found = var == nullptr ? constants_.end() : constants_.find(var);
      if (found != constants_.end() && HasBytesOf(*callee.buffers[i], *found->second)) {
        bound.emplace_back(i, found->second->data);
      } else {
        args.push_back(now->args[i + (is_global ? 0 : 1)]);
      }
    }
    if (bound.empty()) return now;
    const Symbol name = binder_.NameOf(*site.callee, bound);
    Call copy = *now;
    if (is_global) {
      copy.callee = name;
    } else {
      args.insert(args.begin(), builder().String(name.view(), now->args[0]->range));
    }
    copy.args = arena().Copy(Span<const Expr*>(args.data(), args.size()));
    return arena().New<Call>(copy);
  }

 private:
  const IRModule& module_;
  Binder& binder_;
  absl::flat_hash_map<const Var*, const AllocateConst*> constants_;
};

Symbol Binder::NameOf(const Function& callee, const BoundArgs& bound) {
  const auto [known, is_new] = made_.try_emplace({callee.name.view(), bound});
  if (!is_new) return known->second;
  std::string name = fmt::format("{}_bound", callee.name.view());
  for (int i = 1; result_.FindCallee(name) != nullptr; ++i)
    name = fmt::format("{}_bound_{}", callee.name.view(), i);
  known->second = module_.context().Intern(name);
  Add(callee, bound, known->second);
  return known->second;
}

void Binder::Add(const Function& callee, const BoundArgs& bound, Symbol name) {
  auto storage = std::make_shared<Storage>(callee.storage);
  NodeBuilder builder(module_.context(), storage->arena());
  PrimFunc copy = *callee.func;
  std::vector<const Var*> params;
  std::vector<const Buffer*> buffers;
  size_t next = 0;
  for (size_t i = 0; i < callee.func->params.size(); ++i) {
    if (next == bound.size() || bound[next].first != i) {
      params.push_back(callee.func->params[i]);
      buffers.push_back(callee.func->buffers[i]);
      continue;
    }
    const Buffer* buffer = callee.func->buffers[i];
    const Constant* constant = bound[next++].second;
    copy.body = builder.New<DeclBuffer>(buffer->range, buffer, copy.body);
    copy.body = builder.New<AllocateConst>(buffer->range, buffer->data, buffer->dtype,
                                           buffer->shape, constant, nullptr, copy.body);
  }
  copy.params = storage->arena().Copy(Span<const Var*>(params.data(), params.size()));
  copy.buffers = storage->arena().Copy(Span<const Buffer*>(buffers.data(), buffers.size()));
  copy.attrs = builder.With(copy.attrs, attr_key::kGlobalSymbol, nullptr);
  const PrimFunc* func = storage->arena().New<PrimFunc>(copy);
  result_.Add({name, func, std::move(storage)});
}

void Binder::RemoveUnused() {
  std::map<std::string_view, std::vector<Symbol>> made_of;
  for (const auto& [key, name] : made_) made_of[key.first].push_back(name);
  absl::flat_hash_map<std::string_view, std::string_view> renamed;
  const CallGraph calls(result_);
  std::vector<Symbol> unused;
  for (const auto& [original, made] : made_of) {
    const Function* before = result_.FindCallee(original);
    if (calls.IsCalled(calls.IndexOf(before->name))) continue;
    if (made.size() > 1) {
      unused.push_back(before->name);
      continue;
    }
    Function only = *result_.Find(made[0]);
    only.name = before->name;
    unused.push_back(made[0]);
    renamed.emplace(made[0].view(), original);
    result_.Update(std::move(only));
  }
  const IRModule bound = result_;
  const CalleeName callee_name = [&](const CallSite& site) {
    const auto found = renamed.find(site.callee->name.view());
    return std::string(found == renamed.end() ? site.name : found->second);
  };
  for (const Function* function : GraphFunctions(bound)) {
    Function now = RewriteFunction<CalleeRenamer>(module_.context(), *function, bound, callee_name);
    if (now.func != function->func) result_.Update(std::move(now));
  }
  for (const Symbol name : unused) result_.Remove(name);
}

IRModule Binder::Run() {
  for (const Function* function : GraphFunctions(module_)) {
    Function now = RewriteFunction<CallBinder>(module_.context(), *function, module_, *this);
    if (now.func != function->func) result_.Update(std::move(now));
  }
  if (!made_.empty()) RemoveUnused();
  return result_;
}

}  // namespace

IRModule BindOperatorConstants(const IRModule& module) { return Binder(module).Run(); }

}  // namespace tenon
