// The memory around a region determines its parameters. Memory with a value before the region is an
// input, and memory that is read after it is an output. All other memory moves into the function.

#include "byoc/outline.h"

#include <fmt/format.h>

#include <algorithm>

#include "byoc/index.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "passes/outlining.h"
#include "support/check.h"

namespace tenon {

namespace {

/// The free variables of a list of statements, in order of first use.
std::vector<const Var*> FreeVarsOf(const FlowScope& scope, const std::vector<int>& nodes) {
  std::vector<const Stmt*> statements;
  for (const int node : nodes) statements.push_back(scope.nodes[At(node)].stmt);
  return tenon::FreeVarsOf(statements);
}

bool HasAnnotation(const Stmt* binding, std::string_view key) {
  const auto* allocate = dyn_cast<Allocate>(binding);
  return allocate != nullptr && allocate->annotations != nullptr &&
         allocate->annotations->Find(key) != nullptr;
}

}  // namespace

ScopeUses::ScopeUses(const CallFlow& flow, const FlowScope& scope,
                     const std::vector<RegionUnit>& units)
    : flow_(flow), scope_(scope), units_(units) {
  for (const Stmt* binding : scope.bindings) {
    if (const auto* allocate = dyn_cast<Allocate>(binding)) own_.insert(allocate->buffer_var);
  }
  for (size_t i = 0; i < units.size(); ++i) {
    for (const int node : units[i].nodes) {
      for (const FlowAccess& access : scope.nodes[At(node)].accesses)
        uses_[access.root].push_back({i, access});
    }
  }
}

std::vector<RegionVar> ScopeUses::VarsOf(size_t at) const {
  std::vector<RegionVar> vars;
  absl::flat_hash_set<const Var*> seen;
  for (const Var* var : FreeVarsOf(scope_, units_[at].nodes)) {
    const Var* root = var->dtype.is_handle() ? flow_.roots().RootOf(var) : nullptr;
    const bool is_memory = root != nullptr && (root == var || flow_.IsParam(root));
    if (!is_memory || (root != var && !flow_.IsParamHandle(var))) {
      vars.push_back({var, RegionUse::kOther});
    } else if (seen.insert(root).second) {
      vars.push_back({root, UseOf(root, at)});
    }
  }
  return vars;
}

RegionUse ScopeUses::UseOf(const Var* root, size_t at) const {
  const Stmt* binding = flow_.BindingOf(root);
  if (binding != nullptr && isa<AllocateConst>(binding)) return RegionUse::kConstant;
  const auto found = uses_.find(root);
  static const std::vector<Use> kNone;
  const std::vector<Use>& uses = found == uses_.end() ? kNone : found->second;
  bool reads = false;
  bool writes = false;
  bool is_overwritten = false;
  for (const Use& use : uses) {
    if (use.unit != at) continue;
    reads |= use.access.reads && !is_overwritten;
    writes |= use.access.writes;
    is_overwritten |= use.access.overwrites;
  }
  const bool has_value = HasValueBefore(root, uses, at);
  if (!writes && (reads || has_value)) return RegionUse::kInput;
  if (reads && has_value) return RegionUse::kInOut;
  // Memory of the caller's caller remains a parameter, even if nothing reads what the region
  // writes.
  const bool may_move = own_.contains(root) && flow_.BytesOf(root) >= 0;
  return may_move && !IsNeededAfter(root, uses, at) ? RegionUse::kInternal : RegionUse::kOutput;
}

bool ScopeUses::HasValueBefore(const Var* root, const std::vector<Use>& uses, size_t at) const {
  if (!own_.contains(root)) return true;
  if (HasAnnotation(flow_.BindingOf(root), attr_key::kInputTensor)) return true;
  return std::any_of(uses.begin(), uses.end(),
                     [&](const Use& use) { return use.unit < at && use.access.writes; });
}

bool ScopeUses::IsNeededAfter(const Var* root, const std::vector<Use>& uses, size_t at) const {
  for (const Use& use : uses) {
    if (use.unit <= at) continue;
    if (use.access.reads) return true;
    if (use.access.overwrites) return false;
  }
  return HasAnnotation(flow_.BindingOf(root), attr_key::kOutputTensor);
}

namespace {

class Outliner {
 public:
  Outliner(const CallFlow& flow, const FlowScope& scope, const RegionUnit& unit,
           const OutlineOptions& options, const CalleeName& callee_name, const IRModule& module)
      : flow_(flow),
        scope_(scope),
        unit_(unit),
        options_(options),
        storage_(std::make_shared<Storage>(flow.function().storage)),
        builder_(module.context(), storage_->arena()),
        body_(module.context(), storage_, module, callee_name) {}

  OutlinedRegion Run(const std::vector<RegionVar>& vars, NodeBuilder& caller) {
    AddParams(vars, RegionUse::kInput, "i");
    AddParams(vars, RegionUse::kInOut, "io");
    AddParams(vars, RegionUse::kOutput, "o");
    if (!options_.constants_inside) AddParams(vars, RegionUse::kConstant, "c");
    AddParams(vars, RegionUse::kOther, "");
    OutlinedRegion region;
    region.call = CallStmt(caller);
    region.function = MakeFunction(vars);
    return region;
  }

 private:
  void AddParams(const std::vector<RegionVar>& vars, RegionUse use, std::string_view letters) {
    int number = 0;
    for (const RegionVar& var : vars) {
      if (var.use != use) continue;
      args_.push_back(var.var);
      if (use == RegionUse::kOther) {
        AddPlain(var.var, var.var->name.view());
        has_alias_ |= var.var->dtype.is_handle();
      } else {
        AddMemory(var.var, fmt::format("{}_{}{}", options_.prefix, letters, number++));
      }
    }
  }

  void AddPlain(const Var* var, std::string_view name) {
    const Var* param = builder_.NewVar(name, var->type, var->range);
    body_.var_map[var] = param;
    params_.push_back(param);
    buffers_.push_back(nullptr);
  }

  void AddMemory(const Var* root, const std::string& name) {
    const Buffer* shape = ShapeFor(root);
    if (shape == nullptr) return AddPlain(root, name);
    Buffer copy = *shape;
    copy.name = builder_.context().Intern(name);
    copy.data = builder_.NewVar(name, shape->data->type, root->range);
    const Buffer* buffer = builder_.arena().New<Buffer>(copy);
    params_.push_back(builder_.NewVar(fmt::format("{}_handle", name), DataType::Handle()));
    buffers_.push_back(buffer);
    body_.var_map[root] = copy.data;
    if (const Buffer* own = flow_.ParamBuffer(root)) {
      if (shape == own) body_.buffer_map[own] = buffer;
    }
    for (const Var* handle : flow_.HandlesOf(root)) body_.var_map[handle] = copy.data;
  }

  /// The shape of a parameter for this memory. If the region only passes the memory on, the first
  /// operator declares the shape; otherwise, the caller does. Null without a constant shape.
  const Buffer* ShapeFor(const Var* root) {
    const int64_t bytes = flow_.BytesOf(root);
    if (bytes < 0) return nullptr;
    const Stmt* binding = flow_.BindingOf(root);
    if (binding != nullptr && isa<AllocateConst>(binding)) return FlatShape(root);
    const Buffer* first = nullptr;
    size_t direct = 0;
    size_t all = 0;
    for (const int node : unit_.nodes) {
      const FlowNode& statement = scope_.nodes[At(node)];
      Walk(statement.stmt, [&](const Node* inner) {
        const auto* var = dyn_cast<Var>(inner);
        all += var != nullptr && flow_.roots().RootOf(var) == root ? 1 : 0;
        return true;
      });
      if (statement.site.callee == nullptr) continue;
      const PrimFunc& callee = *statement.site.callee->func;
      const size_t count = std::min(callee.params.size(), statement.site.args.size());
      for (size_t i = 0; i < count; ++i) {
        const auto* var = dyn_cast<Var>(statement.site.args[i]);
        if (var == nullptr || flow_.roots().RootOf(var) != root) continue;
        ++direct;
        const Buffer* buffer = callee.buffers[i];
        if (first == nullptr && buffer != nullptr && CompactShape(*buffer) &&
            StaticBytes(buffer->dtype, buffer->shape) == bytes) {
          first = buffer;
        }
      }
    }
    const Buffer* own = flow_.ParamBuffer(root);
    if (first != nullptr && direct == all && own == nullptr) {
      storage_->Retain(StorageOf(first));
      return first;
    }
    return own != nullptr ? own : FlatShape(root);
  }

  /// Keeps the nodes of callees alive, because their shapes become the region's.
  std::shared_ptr<const Storage> StorageOf(const Buffer* buffer) const {
    for (const int node : unit_.nodes) {
      const Function* callee = scope_.nodes[At(node)].site.callee;
      if (callee == nullptr) continue;
      for (const Buffer* other : callee->func->buffers) {
        if (other == buffer) return callee->storage;
      }
    }
    TENON_UNREACHABLE();
  }

  const Buffer* FlatShape(const Var* root) {
    const Stmt* binding = flow_.BindingOf(root);
    if (binding == nullptr) return nullptr;
    const auto* allocate = dyn_cast<Allocate>(binding);
    const auto* constant = dyn_cast<AllocateConst>(binding);
    const DataType dtype = allocate != nullptr ? allocate->dtype : constant->dtype;
    const Span<const Expr*> extents = allocate != nullptr ? allocate->extents : constant->extents;
    const Var* data = builder_.NewVar("data", builder_.context().PointerType(dtype, "global"));
    return builder_.New<Buffer>(root->range, root->name, data, dtype, extents, builder_.Int(0));
  }

  const Stmt* CallStmt(NodeBuilder& caller) const {
    bool is_checked = false;
    for (const int node : unit_.nodes) is_checked |= scope_.nodes[At(node)].is_checked;
    const SourceRange range = scope_.nodes[At(unit_.nodes.front())].stmt->range;
    std::vector<const Expr*> args = {caller.String(options_.symbol, range)};
    args.insert(args.end(), args_.begin(), args_.end());
    const Expr* call =
        caller.New<Call>(range, DataType::Int(32), Op::Get(OpKind::kCallExtern),
                         caller.arena().Copy(Span<const Expr*>(args.data(), args.size())));
    if (is_checked) {
      call = caller.NewCall(DataType::Int(32), OpKind::kTvmCheckReturn,
                            {caller.Int(0), caller.Int(-1), call}, range);
    }
    return caller.New<Evaluate>(range, call);
  }

  Function MakeFunction(const std::vector<RegionVar>& vars) {
    std::vector<const Stmt*> bindings;
    for (const RegionVar& var : vars) {
      const bool is_inside = var.use == RegionUse::kConstant && options_.constants_inside;
      if (var.use == RegionUse::kInternal || is_inside)
        bindings.push_back(flow_.BindingOf(var.var));
    }
    std::vector<const Stmt*> statements;
    for (const int node : unit_.nodes) {
      const Stmt* now = body_.RewriteStmt(scope_.nodes[At(node)].stmt);
      if (now != nullptr) statements.push_back(now);
    }
    const SourceRange range = scope_.nodes[At(unit_.nodes.front())].stmt->range;
    const Stmt* body =
        InBindings(builder_, bindings,
                   builder_.Seq(Span<const Stmt*>(statements.data(), statements.size()), range));
    PrimFunc function(builder_.arena().Copy(Span<const Var*>(params_.data(), params_.size())),
                      builder_.arena().Copy(Span<const Buffer*>(buffers_.data(), buffers_.size())),
                      builder_.context().VoidType(), Attrs(), body);
    function.range = range;
    return {builder_.context().Intern(options_.symbol), builder_.arena().New<PrimFunc>(function),
            storage_};
  }

  const MapAttr* Attrs() {
    std::vector<const Attr*> targets;
    for (const std::string& target : options_.targets)
      targets.push_back(builder_.StringValue(target));
    const MapAttr* attrs = builder_.Map({
        {attr_key::kCompiler, builder_.StringValue(options_.target)},
        {attr_key::kGlobalSymbol, builder_.StringValue(options_.symbol)},
        {attr_key::kTargets, builder_.Array(Span<const Attr*>(targets.data(), targets.size()))},
    });
    if (!flow_.MayOverlap() && !has_alias_)
      attrs = builder_.With(attrs, attr_key::kNoAlias, builder_.ExprValue(builder_.Bool(true)));
    if (const Attr* externs = flow_.function().FindAttr(attr_key::kExterns); externs != nullptr) {
      for (const int node : unit_.nodes) {
        const CallSite& site = scope_.nodes[At(node)].site;
        if (site.call == nullptr || site.callee == nullptr)
          attrs = builder_.With(attrs, attr_key::kExterns, externs);
      }
    }
    return attrs;
  }

  const CallFlow& flow_;
  const FlowScope& scope_;
  const RegionUnit& unit_;
  const OutlineOptions& options_;
  std::shared_ptr<Storage> storage_;
  NodeBuilder builder_;
  /// Rewrites the statements of the region with the function's own variables.
  CalleeRenamer body_;
  std::vector<const Var*> params_;
  std::vector<const Buffer*> buffers_;
  /// The caller's arguments, one for each parameter.
  std::vector<const Expr*> args_;
  bool has_alias_ = false;
};

}  // namespace

OutlinedRegion Outline(const CallFlow& flow, const FlowScope& scope,
                       const std::vector<RegionUnit>& units, size_t at, const ScopeUses& uses,
                       const OutlineOptions& options, const CalleeName& callee_name,
                       const IRModule& module, NodeBuilder& builder) {
  return Outliner(flow, scope, units[at], options, callee_name, module)
      .Run(uses.VarsOf(at), builder);
}

}  // namespace tenon
