// Unification in a union-find forest: calls and shared constants join pointers in almost linear
// time. A group is fixed as soon as one of its members is known outside of the module.

#include "passes/fusion/storage_groups.h"

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/constant_layout.h"
#include "ir/analysis/effects.h"
#include "ir/analysis/stack_arrays.h"
#include "ir/attributes.h"
#include "ir/builtins.h"
#include "ir/extents.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace tenon {

namespace {

/// Attributes of functions whose code is generated elsewhere, or whose types are declared
/// elsewhere.
constexpr std::string_view kOutside[] = {attr_key::kCompiler, attr_key::kExternal,
                                         attr_key::kLinkParams, attr_key::kOp, attr_key::kPoolArgs};

/// Annotations of allocations that the application or a memory plan knows.
constexpr std::string_view kKnownOutside[] = {attr_key::kPlacement, attr_key::kStoredPlacement,
                                              attr_key::kInputTensor, attr_key::kOutputTensor,
                                              attr_key::kEntryTensor};

bool HasAny(const MapAttr* attributes, std::span<const std::string_view> keys) {
  if (attributes == nullptr) return false;
  for (const std::string_view key : keys) {
    if (attributes->Find(key) != nullptr) return true;
  }
  return false;
}

/// The variable of a parameter's storage.
const Var* DataOf(const PrimFunc& func, size_t param) {
  const Buffer* buffer = func.buffers[param];
  return buffer != nullptr ? buffer->data : func.params[param];
}

/// True if the storage can be allocated with elements of another size.
bool CanBeResized(const Allocate& allocate, DataType dtype) {
  if (allocate.dtype.element() == dtype) return true;
  const std::optional<int64_t> bytes = StaticBytes(allocate.dtype, allocate.extents);
  return allocate.dtype.is_scalar() && bytes.has_value() && *bytes % dtype.element_bytes() == 0;
}

}  // namespace

/// Joins pointers in a forest, in which each root becomes a group.
class StorageGroupFinder {
 public:
  explicit StorageGroupFinder(const IRModule& module) : module_(module) {}

  void Run(StorageGroups& groups) {
    const std::vector<Function>& functions = module_.functions();
    for (const Function& function : functions) DeclareAll(function);
    for (const Function& function : functions) {
      Look(function.func->attrs);
      Look(function.func->body);
    }
    Look(module_.attrs());
    if (module_.global_infos() != nullptr) Look(module_.global_infos());
    for (const Constant* constant : module_.constants) FixSlice(*constant);
    const bool is_planned = module_.attrs()->Find(attr_key::kMemoryPlan) != nullptr;
    for (const Function& function : functions) {
      const bool outside = is_planned || HasAny(function.func->attrs, kOutside);
      if (outside) {
        for (const Var* var : declared_[function.name]) Fix(NodeOf(var));
      }
      if (!called_.contains(function.name) || module_.Main() == &function ||
          function.FindAttr(attr_key::kCallingConv) != nullptr) {
        FixParams(function);
      }
    }
    Publish(groups);
  }

 private:
  struct Entry {
    int parent = 0;
    StorageGroup group;
  };

  int NewNode() {
    const int node = static_cast<int>(nodes_.size());
    nodes_.push_back({node, {}});
    return node;
  }
  int Root(int node) {
    while (nodes_[static_cast<size_t>(node)].parent != node) {
      int& parent = nodes_[static_cast<size_t>(node)].parent;
      parent = nodes_[static_cast<size_t>(parent)].parent;
      node = parent;
    }
    return node;
  }
  StorageGroup& GroupOf(int node) { return nodes_[static_cast<size_t>(Root(node))].group; }
  void Fix(int node) { GroupOf(node).fixed = true; }

  /// An undeclared variable, such as a pointer that a let binds, is fixed.
  int NodeOf(const Var* var) {
    const auto [found, added] = node_of_.emplace(var, 0);
    if (added) {
      found->second = NewNode();
      Fix(found->second);
    }
    return found->second;
  }

  int NodeOf(const Constant* constant) {
    const auto [found, added] = constants_.emplace(constant, 0);
    if (added) found->second = NewNode();
    return found->second;
  }

  void Join(int a, int b) {
    a = Root(a);
    b = Root(b);
    if (a == b) return;
    StorageGroup& into = nodes_[static_cast<size_t>(a)].group;
    StorageGroup from = std::move(nodes_[static_cast<size_t>(b)].group);
    nodes_[static_cast<size_t>(b)].parent = a;
    into.fixed |= from.fixed;
    into.has_vectors |= from.has_vectors;
    into.is_passed |= from.is_passed;
    if (!from.dtype.is_void()) See(into, from.dtype);
    into.allocations.insert(into.allocations.end(), from.allocations.begin(),
                            from.allocations.end());
    into.constants.insert(into.constants.end(), from.constants.begin(), from.constants.end());
  }

  static void See(StorageGroup& group, DataType dtype) {
    group.fixed |=
        dtype.is_scalable() || (!group.dtype.is_void() && group.dtype != dtype.element());
    group.dtype = dtype.element();
  }

  void Declare(const Function& function, const Var* var) {
    node_of_.emplace(var, NewNode());
    declared_[function.name].push_back(var);
    const Symbol scope = var->type->scope;
    if (!IsPoolScope(scope) && scope.view() != "local") Fix(NodeOf(var));
  }

  void DeclareAll(const Function& function) {
    const PrimFunc& func = *function.func;
    for (size_t i = 0; i < func.params.size(); ++i) {
      if (!func.params[i]->dtype.is_handle()) continue;
      const Var* data = DataOf(func, i);
      Declare(function, data);
      if (func.buffers[i] == nullptr) {
        if (!data->type->is_pointer()) Fix(NodeOf(data));
        continue;
      }
      node_of_[func.params[i]] = NodeOf(data);
      See(GroupOf(NodeOf(data)), func.buffers[i]->dtype);
    }
    Walk(func.body, [&](const Node* node) {
      if (const auto* allocate = dyn_cast<Allocate>(node)) DeclareAllocate(function, *allocate);
      if (const auto* allocate = dyn_cast<AllocateConst>(node)) DeclareConst(function, *allocate);
      return isa<Stmt>(node);
    });
  }

  void DeclareAllocate(const Function& function, const Allocate& allocate) {
    Declare(function, allocate.buffer_var);
    StorageGroup& group = GroupOf(NodeOf(allocate.buffer_var));
    group.allocations.push_back(&allocate);
    group.fixed |= HasAny(allocate.annotations, kKnownOutside);
  }

  void DeclareConst(const Function& function, const AllocateConst& allocate) {
    Declare(function, allocate.buffer_var);
    Join(NodeOf(allocate.buffer_var), NodeOf(allocate.data));
    FixSlice(*allocate.data);
    StorageGroup& group = GroupOf(NodeOf(allocate.buffer_var));
    group.constants.push_back(&allocate);
    See(group, allocate.dtype);
    group.fixed |= HasAny(allocate.annotations, kKnownOutside) || !allocate.data->has_bytes() ||
                   allocate.data->placement().address_significant;
  }

  /// A slice and what it was cut from stay one.
  void FixSlice(const Constant& constant) {
    if (constant.source().kind != ConstantSource::Kind::kSlice) return;
    Fix(NodeOf(&constant));
    for (const Constant* base = constant.source().base; base != nullptr;
         base = base->source().base) {
      Fix(NodeOf(base));
    }
  }

  void FixParams(const Function& function) {
    for (size_t i = 0; i < function.func->params.size(); ++i) {
      if (function.func->params[i]->dtype.is_handle()) Fix(NodeOf(DataOf(*function.func, i)));
    }
  }

  /// A string may be the name of a function, or of a constant that T.lookup_param gives.
  void FixNamed(std::string_view name) {
    if (const Function* callee = module_.FindCallee(name)) FixParams(*callee);
    for (const Constant* constant : module_.constants) {
      if (constant->name().view() == name) Fix(NodeOf(constant));
    }
  }

  void Look(const Node* node) {
    WithStack([&] {
      switch (node->kind) {
        case NodeKind::kBufferLoad: {
          const auto* load = cast<BufferLoad>(node);
          LookAtAccess(*load->buffer, load->indices, load->predicate, load->dtype);
          // A masked lane gives 0, which perhaps no store has stored.
          if (load->predicate != nullptr) Fix(NodeOf(load->buffer->data));
          return;
        }
        case NodeKind::kBufferStore: {
          const auto* store = cast<BufferStore>(node);
          LookAtAccess(*store->buffer, store->indices, store->predicate, store->value->dtype);
          Look(store->value);
          return;
        }
        case NodeKind::kCall:
          return LookAtCall(*cast<Call>(node));
        case NodeKind::kBuffer:
          return Fix(NodeOf(cast<Buffer>(node)->data));
        case NodeKind::kVar:
          if (cast<Var>(node)->dtype.is_handle()) Fix(NodeOf(cast<Var>(node)));
          return;
        case NodeKind::kStringImm:
          return FixNamed(cast<StringImm>(node)->value);
        case NodeKind::kGlobalVarAttr:
          return FixNamed(cast<GlobalVarAttr>(node)->name.view());
        case NodeKind::kConstantAttr:
          return Fix(NodeOf(cast<ConstantAttr>(node)->value));
        default:
          ForEachChild(node, [&](const Node* child, FieldRole role) {
            if (role == FieldRole::kUse || !isa<Var>(child)) Look(child);
          });
      }
    });
  }

  void LookAtAccess(const Buffer& buffer, Span<const Expr*> indices, const Expr* predicate,
                    DataType dtype) {
    StorageGroup& group = GroupOf(NodeOf(buffer.data));
    See(group, buffer.dtype);
    group.has_vectors |= !dtype.is_scalar();
    for (const Expr* index : indices) Look(index);
    if (predicate != nullptr) Look(predicate);
  }

  void LookAtCall(const Call& call) {
    if (call.op->kind == OpKind::kAddressOf) {
      if (const auto* load = dyn_cast<BufferLoad>(call.args[0])) Fix(NodeOf(load->buffer->data));
    }
    const CallSite site = AsCallSite(module_, &call);
    if (site.callee == nullptr) {
      for (const Expr* arg : call.args) Look(arg);
      return;
    }
    called_.insert(site.callee->name);
    const PrimFunc& callee = *site.callee->func;
    const bool is_direct =
        call.op->kind == OpKind::kCallExtern || call.op->kind == OpKind::kGlobalCall;
    if (!is_direct || site.args.size() != callee.params.size()) {
      FixParams(*site.callee);
      for (const Expr* arg : site.args) Look(arg);
      return;
    }
    for (size_t i = 0; i < site.args.size(); ++i) LookAtArgument(*site.args[i], callee, i);
  }

  void LookAtArgument(const Expr& arg, const PrimFunc& callee, size_t param) {
    const bool is_pointer = callee.params[param]->dtype.is_handle();
    if (!isa<Var>(&arg) || !arg.dtype.is_handle() || !is_pointer) {
      Look(&arg);
      if (is_pointer) Fix(NodeOf(DataOf(callee, param)));
      return;
    }
    Join(NodeOf(static_cast<const Var*>(&arg)), NodeOf(DataOf(callee, param)));
    GroupOf(NodeOf(DataOf(callee, param))).is_passed = true;
  }

  void Publish(StorageGroups& groups) {
    absl::flat_hash_map<int, int> number;
    for (const Function& function : module_.functions()) {
      std::vector<StorageGroups::Member>& members = groups.members_.emplace_back();
      for (const Var* var : declared_[function.name]) {
        const int root = Root(NodeOf(var));
        const auto [found, added] = number.emplace(root, static_cast<int>(groups.groups_.size()));
        if (added) groups.groups_.push_back(Finished(root));
        members.push_back({var, found->second});
        groups.group_of_.emplace(var, found->second);
      }
    }
  }

  StorageGroup Finished(int root) {
    StorageGroup group = std::move(nodes_[static_cast<size_t>(root)].group);
    for (const Allocate* allocate : group.allocations) {
      group.fixed |= !group.dtype.is_void() && !CanBeResized(*allocate, group.dtype);
    }
    group.fixed |= group.dtype.is_void();
    return group;
  }

  const IRModule& module_;
  std::vector<Entry> nodes_;
  absl::flat_hash_map<const Var*, int> node_of_;
  absl::flat_hash_map<const Constant*, int> constants_;
  absl::flat_hash_map<Symbol, std::vector<const Var*>> declared_;
  absl::flat_hash_set<Symbol> called_;
};

StorageGroups::StorageGroups(const IRModule& module) { StorageGroupFinder(module).Run(*this); }

}  // namespace tenon
