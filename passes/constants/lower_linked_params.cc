// The linked parameters of all functions are collected before the first rewrite, since calls omit
// the arguments for them. A lookup within an expression becomes an allocation around the body.

#include "passes/constants/lower_linked_params.h"

#include <fmt/format.h>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/effects.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/linked_params.h"
#include "ir/rewriter.h"

namespace tenon {

namespace {

using LinkedOf = absl::flat_hash_map<Symbol, std::vector<const Constant*>>;

class Linker : public Rewriter<Linker> {
 public:
  Linker(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
         const LinkedOf& linked, const Function& function, Diagnostics& diagnostics)
      : Rewriter(context, std::move(storage)),
        module_(module),
        linked_(linked),
        function_(function),
        diagnostics_(diagnostics) {}

  const PrimFunc* RewriteFunc(const PrimFunc* function) {
    const std::vector<const Constant*>& linked = linked_.at(function_.name);
    std::vector<const Var*> params;
    std::vector<const Buffer*> buffers;
    std::vector<std::pair<const Var*, const Constant*>> made;
    for (size_t i = 0; i < linked.size(); ++i) {
      const Buffer* buffer = function->buffers[i];
      if (linked[i] == nullptr) {
        params.push_back(function->params[i]);
        buffers.push_back(buffer);
        continue;
      }
      ++parameters;
      const Var* data = buffer != nullptr ? buffer->data : function->params[i];
      if (data != function->params[i]) var_map[function->params[i]] = data;
      made.emplace_back(data, linked[i]);
    }
    PrimFunc copy = *function;
    copy.body = RewriteAny(function->body);
    for (const auto& looked_up : looked_up_) made.push_back(looked_up);
    for (size_t i = made.size(); i-- > 0;)
      copy.body = Allocation(made[i].first, made[i].second, function->range, copy.body);
    const bool has_map = function->FindAttr(attr_key::kLinkParams) != nullptr;
    if (copy.body == function->body && !has_map) return function;
    copy.params = arena().Copy(Span<const Var*>(params.data(), params.size()));
    copy.buffers = arena().Copy(Span<const Buffer*>(buffers.data(), buffers.size()));
    if (has_map) copy.attrs = builder().With(function->attrs, attr_key::kLinkParams, nullptr);
    return arena().New<PrimFunc>(copy);
  }

  const Stmt* RewriteLetStmt(const LetStmt* let) {
    const auto* call = dyn_cast<Call>(let->value);
    if (call == nullptr || call->op->kind != OpKind::kLookupParam) return RewriteChildren(let);
    const Constant* constant = LookUp(call);
    const Type& type = *let->var->type;
    if (constant == nullptr || !type.is_pointer() || type.dtype != constant->dtype())
      return RewriteChildren(let);
    ++lookups;
    return Allocation(let->var, constant, let->range, RewriteAny(let->body));
  }

  const Expr* RewriteCall(const Call* call) {
    if (call->op->kind == OpKind::kLookupParam) return RewriteLookup(call);
    const Call* now = RewriteChildren(call);
    const CallSite site = AsCallSite(module_, call);
    if (site.call == nullptr || site.callee == nullptr) return now;
    const std::vector<const Constant*>& linked = linked_.at(site.callee->name);
    if (site.args.size() < linked.size()) return now;
    // Remove arguments of linked parameters; the name at the front and a final resource handle
    // stay.
    const size_t first = call->args.size() - site.args.size();
    std::vector<const Expr*> args;
    for (size_t i = 0; i < now->args.size(); ++i) {
      const bool is_linked =
          i >= first && i - first < linked.size() && linked[i - first] != nullptr;
      if (!is_linked) args.push_back(now->args[i]);
    }
    if (args.size() == now->args.size()) return now;
    Call copy = *now;
    copy.args = arena().Copy(Span<const Expr*>(args.data(), args.size()));
    return arena().New<Call>(copy);
  }

  int64_t lookups = 0;
  int64_t parameters = 0;

 private:
  const Constant* LookUp(const Call* call) {
    const auto* name = call->args.empty() ? nullptr : dyn_cast<StringImm>(call->args[0]);
    return name == nullptr ? nullptr : FindLinkedParam(module_, *function_.func, name->value);
  }

  const Expr* RewriteLookup(const Call* call) {
    const Constant* constant = LookUp(call);
    if (constant == nullptr) {
      const auto* name = call->args.empty() ? nullptr : dyn_cast<StringImm>(call->args[0]);
      diagnostics_.Error(DiagnosticKind::kPass, call->range,
                         fmt::format("no `link_params` has the parameter `{}`",
                                     name == nullptr ? std::string_view("?") : name->value));
      return call;
    }
    ++lookups;
    const Var*& var = var_of_[constant];
    if (var == nullptr) {
      const Type* type = builder().context().PointerType(constant->dtype(), "global");
      var = builder().NewVar(cast<StringImm>(call->args[0])->value, type, call->range);
      looked_up_.emplace_back(var, constant);
    }
    return var;
  }

  const Stmt* Allocation(const Var* var, const Constant* constant, SourceRange range,
                         const Stmt* body) {
    std::vector<const Expr*> extents;
    for (const int64_t extent : constant->shape()) {
      const DataType dtype = extent > INT32_MAX ? DataType::Int(64) : DataType::Int(32);
      extents.push_back(builder().Int(dtype, extent, range));
    }
    return builder().New<AllocateConst>(
        range, var, constant->dtype(),
        arena().Copy(Span<const Expr*>(extents.data(), extents.size())), constant, nullptr, body);
  }

  const IRModule& module_;
  const LinkedOf& linked_;
  const Function& function_;
  Diagnostics& diagnostics_;
  /// Constants that expressions look up, in order, and their variables.
  std::vector<std::pair<const Var*, const Constant*>> looked_up_;
  absl::flat_hash_map<const Constant*, const Var*> var_of_;
};

}  // namespace

absl::StatusOr<IRModule> LowerLinkedParams(const IRModule& module, const NoOptions&,
                                           PassContext& context) {
  LinkedOf linked;
  for (const Function& function : module.functions())
    linked[function.name] = LinkedParams(*function.func);
  IRModule result = module;
  const size_t errors = context.diagnostics.error_count();
  for (const Function& function : module.functions()) {
    auto storage = std::make_shared<Storage>(function.storage);
    Linker linker(module.context(), storage, module, linked, function, context.diagnostics);
    const PrimFunc* now = linker.RewriteFunc(function.func);
    context.Count("lower-linked-params.lookups", linker.lookups);
    context.Count("lower-linked-params.parameters", linker.parameters);
    if (now != function.func) result.Update({function.name, now, std::move(storage)});
  }
  if (context.diagnostics.error_count() != errors)
    return absl::InvalidArgumentError("a linked parameter is missing");
  return result;
}

}  // namespace tenon
