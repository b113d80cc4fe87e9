#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "byoc/code_generator.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/pointers.h"
#include "ir/attributes.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace tenon {

namespace {

/// Reads the body of a function that calls operators and does nothing else.
class ExternalReader {
 public:
  ExternalReader(const IRModule& module, const Function& function, ExternalFunction& external)
      : module_(module), external_(external), roots_(*function.func) {
    const PrimFunc& func = *function.func;
    for (size_t i = 0; i < func.params.size(); ++i) {
      const OpArgument parameter{OpArgument::Kind::kParameter, static_cast<int>(i), 0, nullptr};
      roots_seen_.emplace(func.params[i], parameter);
      if (func.buffers[i] != nullptr) roots_seen_.emplace(func.buffers[i]->data, parameter);
    }
    external_.ops.emplace();
    Read(func.body);
    if (!only_calls_ || external_.ops->empty()) external_.ops.reset();
  }

 private:
  void Read(const Stmt* stmt) {
    if (const auto* allocate = dyn_cast<Allocate>(stmt)) {
      Bind(allocate->buffer_var, OpArgument::Kind::kIntermediate, external_.intermediates.size());
      external_.intermediates.push_back(allocate);
      return Read(allocate->body);
    }
    if (const auto* allocate = dyn_cast<AllocateConst>(stmt)) {
      Bind(allocate->buffer_var, OpArgument::Kind::kConstant, constants_++);
      return Read(allocate->body);
    }
    if (const auto* decl = dyn_cast<DeclBuffer>(stmt)) return Read(decl->body);
    if (const auto* let = dyn_cast<LetStmt>(stmt)) {
      only_calls_ &= let->value->dtype.is_handle();
      return Read(let->body);
    }
    if (const auto* seq = dyn_cast<SeqStmt>(stmt)) {
      for (const Stmt* child : seq->seq) Read(child);
      return;
    }
    const auto* evaluate = dyn_cast<Evaluate>(stmt);
    if (evaluate == nullptr) {
      only_calls_ = false;
    } else if (!isa<IntImm>(evaluate->value)) {
      ReadCall(evaluate->value);
    }
  }

  void Bind(const Var* var, OpArgument::Kind kind, size_t index) {
    roots_seen_.emplace(var, OpArgument{kind, static_cast<int>(index), 0, nullptr});
  }

  void ReadCall(const Expr* value) {
    const auto* call = dyn_cast<Call>(value);
    if (call != nullptr && call->op->kind == OpKind::kTvmCheckReturn && call->args.size() == 3)
      call = dyn_cast<Call>(call->args[2]);
    const CallSite site = call == nullptr ? CallSite() : AsCallSite(module_, call);
    std::optional<OpInfo> info = site.call == nullptr ? std::nullopt : InfoOf(site);
    if (!info) {
      only_calls_ = false;
      return;
    }
    OpCall& made = external_.ops->emplace_back();
    made.op = {site.name, site.callee, *std::move(info)};
    for (const Expr* arg : site.args) made.args.push_back(ArgumentOf(arg));
  }

  /// The claim of what is called; an unknown operator for a function of the module without one.
  std::optional<OpInfo> InfoOf(const CallSite& site) const {
    if (site.callee != nullptr) {
      std::optional<OpInfo> claim = ReadOpInfo(*site.callee);
      return claim ? claim : UnknownOp("it has no claim");
    }
    const auto* ops = dyn_cast_or_null<MapAttr>(module_.attrs()->Find(attr_key::kOps));
    return ops == nullptr ? std::nullopt : ReadOpInfo(ops->Find(site.name));
  }

  OpArgument ArgumentOf(const Expr* arg) const {
    OpArgument argument;
    argument.expr = arg;
    const Var* root = arg->dtype.is_handle() ? roots_.RootOf(arg) : nullptr;
    const auto found = root == nullptr ? roots_seen_.end() : roots_seen_.find(root);
    if (found == roots_seen_.end()) return argument;
    argument = found->second;
    argument.expr = arg;
    argument.offset = OffsetOf(arg, root);
    return argument;
  }

  /// Bytes from the start of `root` to where a pointer points.
  static std::optional<int64_t> OffsetOf(const Expr* pointer, const Var* root) {
    if (pointer == root) return 0;
    const auto* call = dyn_cast<Call>(pointer);
    if (call == nullptr || call->op->kind != OpKind::kAddressOf || call->args.empty())
      return std::nullopt;
    const auto* load = dyn_cast<BufferLoad>(call->args[0]);
    if (load == nullptr || load->buffer->data != root || load->indices.size() != 1 ||
        !IsConstInt(load->buffer->elem_offset, 0))
      return std::nullopt;
    const int64_t* const index = AsIntImm(load->indices[0]);
    if (index == nullptr) return std::nullopt;
    return *index * load->buffer->dtype.bytes();
  }

  const IRModule& module_;
  ExternalFunction& external_;
  PointerRoots roots_;
  absl::flat_hash_map<const Var*, OpArgument> roots_seen_;
  size_t constants_ = 0;
  bool only_calls_ = true;
};

}  // namespace

ExternalFunction ReadExternalFunction(const IRModule& module, const Function& function) {
  ExternalFunction external;
  external.context = &module.context();
  external.function = function;
  Walk(function.func->body, [&](const Node* node) {
    const auto* allocate = dyn_cast<AllocateConst>(node);
    if (allocate != nullptr)
      external.constants.push_back(
          {allocate->data, allocate->buffer_var->name.view(), allocate->range});
    return true;
  });
  // An operator that is a region by itself.
  if (std::optional<OpInfo> claim = ReadOpInfo(function); claim && claim->known()) {
    OpCall& self = external.ops.emplace().emplace_back();
    self.op = {function.name.view(), nullptr, *std::move(claim)};
    for (size_t i = 0; i < function.func->params.size(); ++i) {
      self.args.push_back({OpArgument::Kind::kParameter, static_cast<int>(i), 0,
                           function.func->params[i]});
    }
    return external;
  }
  ExternalReader(module, function, external);
  return external;
}

}  // namespace tenon
