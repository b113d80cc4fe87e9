// The source of the pools is decided once, before any function is rewritten. All functions then
// share one object for each pool, so that the text has each pool once.

#include "passes/memory/assign_pool_info.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/constant_section.h"
#include "ir/attributes.h"
#include "ir/loaded_constants.h"
#include "ir/memory_pools.h"
#include "ir/rewriter.h"
#include "passes/memory/pools_file.h"
#include "passes/memory/pools_text.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// ParsePoolList's result as pool objects.
absl::StatusOr<std::vector<const Attr*>> MakePools(NodeBuilder& builder, std::string_view text,
                                                   bool is_constant) {
  TENON_ASSIGN_OR(const std::vector<PoolInfo> infos, ParsePoolList(text, is_constant));
  std::vector<const Attr*> pools;
  for (const PoolInfo& info : infos) pools.push_back(MakePoolInfo(builder, info));
  return pools;
}

/// The default pool of a kind: TVM's name, no limit.
const Attr* DefaultPool(NodeBuilder& builder, bool is_constant, bool is_internal) {
  PoolInfo pool;
  pool.name = is_constant ? kDefaultConstantPool : kDefaultWorkspacePool;
  pool.is_constant = is_constant;
  pool.is_internal = is_internal;
  return MakePoolInfo(builder, pool);
}

/// Makes the caller the owner of the pools.
void MakeExternal(NodeBuilder& builder, std::vector<const Attr*>& pools) {
  for (const Attr*& attr : pools) {
    std::optional<PoolInfo> pool = ReadPoolInfo(attr);
    if (!pool || !pool->is_internal) continue;
    pool->is_internal = false;
    const auto* targets = dyn_cast_or_null<ArrayAttr>(pool->attr->fields->Find("targets"));
    attr = MakePoolInfo(builder, *pool, targets);
  }
}

/// The pools of a module attribute: an object with `pools`, or a list.
std::vector<const Attr*> PoolsOfAttr(const Attr* attr) {
  if (const auto* object = dyn_cast_or_null<ObjectAttr>(attr)) attr = object->fields->Find("pools");
  const auto* list = dyn_cast_or_null<ArrayAttr>(attr);
  return list == nullptr ? std::vector<const Attr*>()
                         : std::vector<const Attr*>(list->items.begin(), list->items.end());
}

class Annotator : public Rewriter<Annotator> {
 public:
  Annotator(Context& context, std::shared_ptr<Storage> storage, const ArrayAttr* workspace,
            const ArrayAttr* constants, Diagnostics& diagnostics)
      : Rewriter(context, std::move(storage)),
        workspace_(workspace),
        constants_(constants),
        diagnostics_(diagnostics) {}

  const Stmt* RewriteAllocate(const Allocate* allocate) { return Annotate(allocate, workspace_); }
  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    const ArrayAttr* pools = constants_;
    const Attr* load_pool = nullptr;
    if (allocate->data != nullptr) {
      const ConstantPlacement& placement = allocate->data->placement();
      const bool names_pools = !placement.pools.empty() && !constants_->items.empty();
      if (names_pools) pools = Named(placement.pools, *allocate);
      const std::string_view section = SectionOf(*allocate->data);
      if (!names_pools && !section.empty()) pools = InSection(*pools, section);
      if (!placement.load.empty()) load_pool = LoadPool(placement.load, *allocate);
    }
    const auto* now = cast<AllocateConst>(Annotate(allocate, pools));
    if (load_pool == nullptr) return now;
    AllocateConst copy = *now;
    copy.annotations = builder().With(now->annotations, attr_key::kLoadPool, load_pool);
    return arena().New<AllocateConst>(copy);
  }

 private:
  static const Attr* Find(const ArrayAttr& pools, std::string_view name) {
    for (const Attr* attr : pools.items) {
      const std::optional<PoolInfo> pool = ReadPoolInfo(attr);
      if (pool && pool->name == name) return attr;
    }
    return nullptr;
  }

  void Missing(const AllocateConst& allocate, std::string_view what, std::string_view pool) {
    diagnostics_.Error(DiagnosticKind::kPass, allocate.range,
                       fmt::format("constant `{}` must be {} `{}`, but no {} pool has that name",
                                   allocate.buffer_var->name.view(), what, pool,
                                   what == "stored in" ? "read-only" : "read-write"));
  }

  /// The pools that a constant names, in its order.
  const ArrayAttr* Named(const std::vector<std::string>& names, const AllocateConst& allocate) {
    std::vector<const Attr*> pools;
    for (const std::string& name : names) {
      if (const Attr* pool = Find(*constants_, name)) {
        pools.push_back(pool);
      } else {
        Missing(allocate, "stored in", name);
      }
    }
    return builder().Array(pools);
  }

  /// The pools among `pools` with storage in the section.
  const ArrayAttr* InSection(const ArrayAttr& pools, std::string_view section) {
    std::vector<const Attr*> kept;
    for (const Attr* attr : pools.items) {
      const std::optional<PoolInfo> pool = ReadPoolInfo(attr);
      if (pool && IsInSection(*pool, section)) kept.push_back(attr);
    }
    return builder().Array(kept);
  }

  /// The pool that a constant is loaded into: the existing one, or one of the workspace.
  const Attr* LoadPool(const std::string& name, const AllocateConst& allocate) {
    const std::optional<PoolInfo> known = ReadLoadPool(allocate.annotations);
    if (known && known->name == name) return known->attr;
    const Attr* pool = Find(*workspace_, name);
    if (pool == nullptr) Missing(allocate, "loaded into", name);
    return pool;
  }

  template <class T>
  const Stmt* Annotate(const T* allocate, const ArrayAttr* pools) {
    const T* now = RewriteChildren(allocate);
    const bool has = now->annotations != nullptr &&
                     now->annotations->Find(attr_key::kCandidateMemoryPools) != nullptr;
    if (has || pools->items.empty()) return now;
    T copy = *now;
    copy.annotations = builder().With(now->annotations, attr_key::kCandidateMemoryPools, pools);
    return arena().template New<T>(copy);
  }

  const ArrayAttr* workspace_;
  const ArrayAttr* constants_;
  Diagnostics& diagnostics_;
};

}  // namespace

absl::StatusOr<IRModule> AssignPoolInfo(const IRModule& module,
                                        const AssignPoolInfoOptions& options,
                                        PassContext& context) {
  // All functions share the pool objects; each version keeps their storage alive.
  auto shared = std::make_shared<Storage>();
  NodeBuilder builder(module.context(), shared->arena());
  std::string error;
  if (!options.pools.empty() &&
      !(options.workspace_pools.empty() && options.constant_pools.empty())) {
    return absl::InvalidArgumentError("pools are given as a file and as a list");
  }
  TENON_ASSIGN_OR(std::vector<const Attr*> workspace,
                  MakePools(builder, options.workspace_pools, false));
  TENON_ASSIGN_OR(std::vector<const Attr*> constants,
                  MakePools(builder, options.constant_pools, true));
  if (!options.pools.empty()) {
    const auto pools = ReadPoolsFile(module.context(), options.pools, context.diagnostics);
    if (!pools) return absl::InvalidArgumentError("the file of pools is wrong");
    for (const PoolInfo& pool : *pools)
      (pool.is_constant ? constants : workspace).push_back(MakePoolInfo(builder, pool));
  } else {
    if (workspace.empty())
      workspace = PoolsOfAttr(module.attrs()->Find(attr_key::kWorkspaceMemoryPools));
    if (constants.empty())
      constants = PoolsOfAttr(module.attrs()->Find(attr_key::kConstantMemoryPools));
  }
  if (constants.empty() && workspace.empty()) {
    constants = {DefaultPool(builder, true, options.internal)};
  }
  if (workspace.empty()) workspace = {DefaultPool(builder, false, options.internal)};
  if (options.external_workspace) MakeExternal(builder, workspace);
  const ArrayAttr* workspace_list = builder.Array(workspace);
  const ArrayAttr* constant_list = builder.Array(constants);
  return ForEachFunction(module, context, [&](const Function& function, Diagnostics& diagnostics) {
    auto storage = std::make_shared<Storage>(function.storage);
    storage->Retain(shared);
    Annotator annotator(module.context(), storage, workspace_list, constant_list, diagnostics);
    const PrimFunc* now = annotator.RewriteFunc(function.func);
    return now == function.func ? function : Function{function.name, now, std::move(storage)};
  });
}

}  // namespace tenon
