// For planning and back ends, external functions must be declarations, because otherwise they would
// lower the bodies. The declaration must not claim more than the code does, so overwrites are
// weakened.

#include "byoc/split_externals.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/call_graph.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/pointers.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/external_code.h"
#include "ir/rewriter.h"
#include "ir/visitor.h"

namespace tenon {

namespace {

/// The functions that take part in a split.
struct Externals {
  /// The functions of the module with `tenon.external`, and its contents.
  absl::flat_hash_map<Symbol, ExternalCode> code;
  /// External functions without a body in TIR, which back ends do not receive.
  absl::flat_hash_set<Symbol> declared;
};

/// The bytes of the memory of a root, if their number is constant.
class RootBytes {
 public:
  explicit RootBytes(const PrimFunc& function) {
    for (size_t i = 0; i < function.params.size(); ++i) {
      const Buffer* buffer = function.buffers[i];
      if (buffer == nullptr) continue;
      Add(function.params[i], buffer->dtype, buffer->shape);
      Add(buffer->data, buffer->dtype, buffer->shape);
    }
    Walk(function.body, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<Allocate>(node))
        Add(allocate->buffer_var, allocate->dtype, allocate->extents);
      return true;
    });
  }
  int64_t Of(const Var* root) const {
    const auto found = bytes_.find(root);
    return found == bytes_.end() ? -1 : found->second;
  }

 private:
  void Add(const Var* root, DataType dtype, Span<const Expr*> shape) {
    bytes_.emplace(root, StaticBytes(dtype, shape).value_or(-1));
  }
  absl::flat_hash_map<const Var*, int64_t> bytes_;
};

/// Weakens "overwrites" if it would claim too much: it means all bytes to the end of the storage,
/// but main may keep a small tensor in a large allocation.
void WeakenOverwrites(const IRModule& module, Externals& externals) {
  for (const Function& caller : module.functions()) {
    const PointerRoots roots(*caller.func);
    const RootBytes bytes(*caller.func);
    Walk(caller.func->body, [&](const Node* node) {
      const CallSite site = AsCallSite(module, dyn_cast<Call>(node));
      const auto found =
          site.callee == nullptr ? externals.code.end() : externals.code.find(site.callee->name);
      if (found == externals.code.end()) return true;
      std::vector<std::string>& effects = found->second.effects;
      for (size_t i = 0; i < effects.size() && i < site.args.size(); ++i) {
        const Buffer* buffer = site.callee->func->buffers[i];
        if (effects[i] != "o") continue;
        const Var* root = roots.RootOf(site.args[i]);
        const bool is_whole =
            buffer != nullptr && root != nullptr && isa<Var>(site.args[i]) && bytes.Of(root) >= 0 &&
            bytes.Of(root) == StaticBytes(buffer->dtype, buffer->shape).value_or(-1);
        if (!is_whole) effects[i] = 'w';
      }
      return true;
    });
  }
}

/// Removes arguments that an external function does not take, such as a null device.
class CallTrimmer : public Rewriter<CallTrimmer> {
 public:
  CallTrimmer(Context& context, std::shared_ptr<Storage> storage, const IRModule& module,
              const Externals& externals)
      : Rewriter(context, std::move(storage)), module_(module), externals_(externals) {}

  const Expr* RewriteCall(const Call* call) {
    const Call* now = RewriteChildren(call);
    const CallSite site = AsCallSite(module_, call);
    if (site.callee == nullptr || !externals_.declared.contains(site.callee->name)) return now;
    const size_t wanted = site.callee->func->params.size();
    const size_t first = now->args.size() - site.args.size();
    std::vector<const Expr*> args = {
        builder().String(externals_.code.at(site.callee->name).symbol, call->range)};
    for (size_t i = 0; i < std::min(wanted, site.args.size()); ++i)
      args.push_back(now->args[first + i]);
    return builder().New<Call>(call->range, call->dtype, Op::Get(OpKind::kCallExtern),
                               arena().Copy(Span<const Expr*>(args.data(), args.size())));
  }

 private:
  const IRModule& module_;
  const Externals& externals_;
};

/// The functions that the entry reaches, without the callees of declared functions.
absl::flat_hash_set<Symbol> Reached(const IRModule& module, const Externals& externals) {
  const CallGraph graph(module);
  absl::flat_hash_set<Symbol> reached;
  std::vector<size_t> open;
  for (size_t i = 0; i < module.functions().size(); ++i) {
    // A function without callers keeps its position.
    if (&module.functions()[i] == module.Main() || !graph.IsCalled(i)) open.push_back(i);
  }
  while (!open.empty()) {
    const size_t index = open.back();
    open.pop_back();
    const Symbol name = module.functions()[index].name;
    if (externals.declared.contains(name) || !reached.insert(name).second) continue;
    for (const CallGraph::Site& site : graph.CallsOf(index)) open.push_back(site.callee);
  }
  return reached;
}

/// Adds the declarations to the module's attributes.
void Declare(const IRModule& module, const Externals& externals, IRModule& host) {
  auto storage = std::make_shared<Storage>();
  NodeBuilder builder(module.context(), storage->arena());
  std::vector<ExternalCode> all;
  const auto* externs = dyn_cast_or_null<MapAttr>(module.attrs()->Find(attr_key::kExterns));
  for (const Function& function : module.functions()) {
    const auto found = externals.code.find(function.name);
    if (found == externals.code.end() || !externals.declared.contains(function.name)) continue;
    all.push_back(found->second);
    std::vector<const Attr*> letters;
    for (const std::string& effect : found->second.effects)
      letters.push_back(builder.StringValue(effect));
    externs = builder.With(externs, found->second.symbol, builder.Array(letters));
  }
  const MapAttr* attrs = builder.With(module.attrs(), attr_key::kExterns, externs);
  attrs = builder.With(attrs, attr_key::kExternal, WriteDeclaredExternals(builder, all));
  host.SetAttrs(attrs, std::move(storage));
}

}  // namespace

SplitModule SplitExternals(const IRModule& module, const std::vector<Function>& tir) {
  Externals externals;
  for (const Function& function : module.functions()) {
    std::optional<ExternalCode> code = ReadExternalCode(function);
    if (!code) continue;
    externals.code.emplace(function.name, *std::move(code));
    externals.declared.insert(function.name);
  }
  SplitModule split(module);
  if (externals.code.empty()) return split;
  for (const Function& function : tir) externals.declared.erase(function.name);
  WeakenOverwrites(module, externals);
  const absl::flat_hash_set<Symbol> reached = Reached(module, externals);
  for (const Function& function : module.functions()) {
    const bool is_external = externals.code.contains(function.name);
    if (is_external || !reached.contains(function.name)) split.externals.push_back(function);
    if (!reached.contains(function.name)) {
      split.host.Remove(function.name);
      continue;
    }
    Function now = RewriteFunction<CallTrimmer>(module.context(), function, module, externals);
    if (now.func != function.func) split.host.Update(std::move(now));
  }
  for (const Function& function : tir) {
    if (split.host.Find(function.name) != nullptr) {
      split.host.Update(function);
    } else {
      split.host.Add(function);
    }
  }
  Declare(module, externals, split.host);
  return split;
}

IRModule JoinExternals(const IRModule& host, const std::vector<Function>& externals) {
  if (externals.empty()) return host;
  IRModule module = host;
  for (const Function& function : externals) {
    // Code in TIR was already lowered with the host, so it is kept.
    if (module.Find(function.name) == nullptr) module.Add(function);
  }
  auto storage = std::make_shared<Storage>();
  NodeBuilder builder(module.context(), storage->arena());
  const auto* externs = dyn_cast_or_null<MapAttr>(module.attrs()->Find(attr_key::kExterns));
  for (const ExternalCode& code : ReadDeclaredExternals(host))
    externs = builder.With(externs, code.symbol, nullptr);
  const MapAttr* attrs = builder.With(module.attrs(), attr_key::kExternal, nullptr);
  const bool has_externs = externs != nullptr && !externs->items.empty();
  module.SetAttrs(builder.With(attrs, attr_key::kExterns, has_externs ? externs : nullptr),
                  std::move(storage));
  return module;
}

}  // namespace tenon
