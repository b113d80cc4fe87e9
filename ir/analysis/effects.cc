#include "ir/analysis/effects.h"

#include "ir/analysis/pointers.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace tenon {

namespace {

ArgumentEffect operator|(ArgumentEffect a, ArgumentEffect b) {
  // Merged effects do not overwrite: one of several accesses cannot overwrite for the others.
  return {a.reads || b.reads, a.writes || b.writes, false, a.escapes || b.escapes};
}

/// The effects on memory whose address becomes known elsewhere.
constexpr ArgumentEffect kEscape = {.reads = true, .writes = true, .escapes = true};

/// The parameter of each root. A root is a parameter or the data of a parameter's buffer.
absl::flat_hash_map<const Var*, size_t> ParamIndex(const PrimFunc& function) {
  TENON_CHECK(function.params.size() == function.buffers.size());
  absl::flat_hash_map<const Var*, size_t> index;
  for (size_t i = 0; i < function.params.size(); ++i) {
    index.emplace(function.params[i], i);
    if (function.buffers[i] != nullptr) index.emplace(function.buffers[i]->data, i);
  }
  return index;
}

/// The effects of one function's own statements.
class Collector : public Visitor<Collector> {
 public:
  Collector(const IRModule& module, const Function& function, FunctionEffects& effects)
      : module_(module),
        roots_(*function.func),
        index_(ParamIndex(*function.func)),
        effects_(effects) {
    Visit(function.func->body);
  }

  void VisitBufferLoad(const BufferLoad* load) {
    TouchTargets(load->buffer->data, {.reads = true});
    VisitBuffer(load->buffer);
    for (const Expr* index : load->indices) Visit(index);
    Visit(load->predicate);
  }

  void VisitBufferStore(const BufferStore* store) {
    TouchTargets(store->buffer->data, {.writes = true});
    VisitBuffer(store->buffer);
    for (const Expr* index : store->indices) Visit(index);
    if (store->value->dtype.is_handle()) TouchTargets(store->value, kEscape);
    Visit(store->value);
    Visit(store->predicate);
  }

  /// An access through a buffer computes its strides and its offset.
  void VisitBuffer(const Buffer* buffer) {
    for (const Expr* stride : buffer->strides) Visit(stride);
    for (const Expr* extent : buffer->shape) Visit(extent);
    Visit(buffer->elem_offset);
  }

  void VisitAllocate(const Allocate* allocate) {
    const int64_t bytes = StaticBytes(allocate->dtype, allocate->extents).value_or(0);
    if (__builtin_add_overflow(effects_.workspace_bytes, bytes, &effects_.workspace_bytes)) {
      effects_.workspace_bytes = INT64_MAX;
    }
    VisitChildren(allocate);
  }

  void VisitCall(const Call* call) {
    if (call->op->kind == OpKind::kAddressOf && !call->args.empty()) {
      // Taking an address accesses no memory, but evaluates the indices.
      if (const auto* load = dyn_cast<BufferLoad>(call->args[0])) {
        for (const Expr* index : load->indices) Visit(index);
        return;
      }
    }
    if (const CallSite site = AsCallSite(module_, call); site.call != nullptr) {
      effects_.calls.push_back(site);
    } else if (call->op->effect == OpEffect::kOpaque || call->op->effect == OpEffect::kWrite ||
               call->op->effect == OpEffect::kRead) {
      const bool only_reads = call->op->effect == OpEffect::kRead;
      effects_.opaque |= call->op->effect == OpEffect::kOpaque;
      TouchArguments(call, only_reads ? ArgumentEffect{.reads = true} : kEscape);
    } else if (call->op->kind == OpKind::kRet ||
               (call->op->kind == OpKind::kReinterpret && !call->dtype.is_handle())) {
      TouchArguments(call, kEscape);
    }
    VisitChildren(call);
  }

 private:
  void TouchArguments(const Call* call, ArgumentEffect effect) {
    for (const Expr* arg : call->args) {
      if (arg->dtype.is_handle()) TouchTargets(arg, effect);
    }
  }

  void TouchTargets(const Expr* pointer, ArgumentEffect effect) {
    for (const Var* root : roots_.TargetsOf(pointer).roots) Touch(root, effect);
  }

  void Touch(const Var* root, ArgumentEffect effect) {
    const auto found = index_.find(root);
    if (found == index_.end()) return;
    TENON_DCHECK(found->second < effects_.params.size());
    effects_.params[found->second] = effects_.params[found->second] | effect;
  }

  const IRModule& module_;
  PointerRoots roots_;
  absl::flat_hash_map<const Var*, size_t> index_;
  FunctionEffects& effects_;
};

}  // namespace

CallSite AsCallSite(const IRModule& module, const Expr* expr) {
  const auto* call = dyn_cast_or_null<Call>(expr);
  if (call == nullptr) return {};
  switch (call->op->kind) {
    case OpKind::kGlobalCall:
      return {call, module.Find(call->callee), call->callee.view(), call->args};
    case OpKind::kCallExtern:
    case OpKind::kCallPureExtern:
    case OpKind::kCallPacked:
    case OpKind::kCallCPacked: {
      const auto* name = call->args.empty() ? nullptr : dyn_cast<StringImm>(call->args[0]);
      if (name == nullptr) return {};
      return {call, module.FindCallee(name->value), name->value, call->args.subspan(1)};
    }
    default:
      return {};
  }
}

ModuleEffects::ModuleEffects(const IRModule& module) : module_(module) {
  for (const Function& function : module_.functions()) {
    FunctionEffects& effects = of_[function.name];
    effects.params.resize(function.func->params.size());
    Collector(module_, function, effects);
    for (const CallSite& call : effects.calls) {
      if (call.callee == nullptr && Declaration(function, call.name) == nullptr) {
        effects.calls_undeclared = true;
      }
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Function& function : module_.functions()) {
      changed |= Update(function, of_.at(function.name));
    }
  }
}

bool ModuleEffects::Update(const Function& function, FunctionEffects& effects) {
  if (effects.calls.empty()) return false;
  TENON_CHECK(effects.params.size() == function.func->params.size());
  const PointerRoots roots(*function.func);
  const absl::flat_hash_map<const Var*, size_t> index = ParamIndex(*function.func);
  bool changed = false;
  for (const CallSite& call : effects.calls) {
    if (call.callee != nullptr && of_.at(call.callee->name).opaque && !effects.opaque) {
      effects.opaque = true;
      changed = true;
    }
    for (size_t i = 0; i < call.args.size(); ++i) {
      if (!call.args[i]->dtype.is_handle()) continue;
      for (const Var* root : roots.TargetsOf(call.args[i]).roots) {
        const auto found = index.find(root);
        if (found == index.end()) continue;
        ArgumentEffect& own = effects.params[found->second];
        const ArgumentEffect now = own | OfArgument(function, call, i);
        changed |= !(now == own);
        own = now;
      }
    }
  }
  return changed;
}

const ArrayAttr* ModuleEffects::Declaration(const Function& caller, std::string_view name) const {
  return ExternDeclaration(module_, caller, name);
}

ArgumentEffect ModuleEffects::OfArgument(const Function& caller, const CallSite& call,
                                         size_t i) const {
  if (call.callee != nullptr) {
    const FunctionEffects& callee = of_.at(call.callee->name);
    return i < callee.params.size() ? callee.params[i] : ArgumentEffect{};
  }
  return EffectOfExtern(call, Declaration(caller, call.name), i);
}

const ArrayAttr* ExternDeclaration(const IRModule& module, const Function& caller,
                                   std::string_view name) {
  for (const MapAttr* attrs : {caller.func->attrs, module.attrs()}) {
    const auto* externs = dyn_cast_or_null<MapAttr>(attrs->Find(attr_key::kExterns));
    const auto* declared =
        externs == nullptr ? nullptr : dyn_cast_or_null<ArrayAttr>(externs->Find(name));
    if (declared != nullptr) return declared;
  }
  return nullptr;
}

ArgumentEffect EffectOfExtern(const CallSite& call, const ArrayAttr* declaration, size_t index) {
  TENON_CHECK(call.call != nullptr);
  if (call.call->op->kind == OpKind::kCallPureExtern) return {.reads = true};
  if (declaration == nullptr) return kEscape;
  if (index >= declaration->items.size()) return {};
  const std::string_view* letters = AsString(declaration->items[index]);
  if (letters == nullptr) return kEscape;
  const bool reads = letters->find_first_of("rc") != std::string_view::npos;
  const bool overwrites = letters->find('o') != std::string_view::npos;
  const bool writes = overwrites || letters->find('w') != std::string_view::npos;
  return {.reads = reads, .writes = writes, .overwrites = overwrites && !reads};
}

}  // namespace tenon
