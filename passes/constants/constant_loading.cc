// Slices and attributes refer to the stored bytes of a constant, so such constants must stay where
// they are. All others are candidates, with the bytes that one run reads from them.

#include "passes/constants/constant_loading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/access_counts.h"
#include "ir/analysis/constant_layout.h"
#include "ir/attributes.h"
#include "ir/memory_pools.h"
#include "ir/rewriter.h"
#include "ir/storage_defaults.h"
#include "passes/memory/plan_memory.h"

namespace tenon {

namespace {

class LoadReplacer : public Rewriter<LoadReplacer> {
 public:
  using Replacements = absl::flat_hash_map<const Constant*, const Constant*>;

  LoadReplacer(Context& context, std::shared_ptr<Storage> storage, const Replacements& replacements)
      : Rewriter(context, std::move(storage)), replacements_(replacements) {}

  const Stmt* RewriteAllocateConst(const AllocateConst* allocate) {
    const AllocateConst* now = RewriteChildren(allocate);
    const auto found = replacements_.find(now->data);
    if (found == replacements_.end()) return now;
    AllocateConst copy = *now;
    copy.data = found->second;
    return arena().New<AllocateConst>(copy);
  }

 private:
  const Replacements& replacements_;
};

/// The first read-write pool that `wanted` accepts, from any place where the module names pools.
template <class Wanted>
std::optional<PoolInfo> FindPool(const IRModule& module, const Wanted& wanted) {
  std::optional<PoolInfo> found;
  const auto look = [&](const Attr* attr) {
    if (found) return;
    const std::optional<PoolInfo> pool = ReadPoolInfo(attr);
    if (pool && !pool->is_constant && wanted(*pool)) found = pool;
  };
  if (const Attr* attr = module.attrs()->Find(attr_key::kWorkspaceMemoryPools)) {
    Walk(attr, [&](const Node* node) {
      if (isa<ObjectAttr>(node)) look(cast<ObjectAttr>(node));
      return true;
    });
  }
  for (const Function& function : module.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      const auto* allocate = dyn_cast<Allocate>(node);
      if (allocate != nullptr && allocate->annotations != nullptr) {
        for (const PoolInfo& pool : ReadCandidates(allocate->annotations)) look(pool.attr);
      }
      return Stmt::ClassOf(node) && !found;
    });
  }
  return found;
}

/// Sets is_shared for constants that share bytes with constants in `kept`.
void FindShared(std::vector<LoadableConstant>& constants,
                const absl::flat_hash_set<const Constant*>& kept) {
  struct Part {
    int64_t begin;
    int64_t end;
    LoadableConstant* constant;
    bool is_kept;
  };
  absl::flat_hash_map<const Constant*, std::vector<Part>> parts_of;
  for (LoadableConstant& constant : constants) {
    const ConstantRoot root = RootOf(*constant.data);
    parts_of[root.data].push_back({root.offset, root.offset + constant.data->size_bytes(),
                                   &constant, kept.contains(constant.data)});
  }
  for (auto& [root, parts] : parts_of) {
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.begin < b.begin; });
    int64_t end_before = INT64_MIN;
    for (const Part& part : parts) {
      part.constant->is_shared |= part.begin < end_before;
      if (part.is_kept) end_before = std::max(end_before, part.end);
    }
    int64_t next_begin = INT64_MAX;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      part->constant->is_shared |= next_begin < part->end;
      if (part->is_kept) next_begin = part->begin;
    }
  }
}

}  // namespace

std::vector<LoadableConstant> LoadableConstants(const IRModule& module) {
  std::vector<LoadableConstant> constants;
  const Function* entry = module.Main();
  if (entry == nullptr) return constants;
  const auto accesses = CountAccesses(module, *entry);
  absl::flat_hash_set<const Constant*> kept;
  const auto keep_base = [&](const Constant* constant) {
    if (constant->source().kind == ConstantSource::Kind::kSlice)
      kept.insert(constant->source().base);
  };
  const auto keep_named = [&](const Node* node) {
    if (isa<ConstantAttr>(node)) kept.insert(cast<ConstantAttr>(node)->value);
    return true;
  };
  for (const Constant* constant : module.constants) keep_base(constant);
  Walk(module.attrs(), keep_named);
  absl::flat_hash_map<const Constant*, size_t> index;
  for (const Function& function : module.functions()) {
    Walk(function.func->attrs, keep_named);
    Walk(function.func->body, [&](const Node* node) {
      const auto* allocate = dyn_cast<AllocateConst>(node);
      if (allocate == nullptr || allocate->data == nullptr) return Stmt::ClassOf(node);
      const Constant* data = allocate->data;
      keep_base(data);
      if (ReadPlacement(allocate->annotations) || data->size_bytes() == 0) kept.insert(data);
      const auto [at, is_new] = index.try_emplace(data, constants.size());
      if (is_new) constants.push_back({data, 0});
      const auto found = accesses.find(allocate->buffer_var);
      int64_t& sum = constants[at->second].bytes_read;
      if (found != accesses.end() && __builtin_add_overflow(sum, found->second.bytes_read, &sum)) {
        sum = INT64_MAX;
      }
      return true;
    });
  }
  FindShared(constants, kept);
  std::erase_if(constants, [&](const LoadableConstant& c) { return kept.contains(c.data); });
  return constants;
}

std::string FirstPool(const IRModule& module) {
  const std::optional<PoolInfo> pool = FindPool(module, [](const PoolInfo&) { return true; });
  return std::string(pool ? std::string_view(pool->name) : kDefaultWorkspacePool);
}

absl::StatusOr<int64_t> LoadBudget(const IRModule& module, std::string_view pool, int64_t budget,
                                   PassContext& context) {
  std::vector<std::string> names;
  const std::optional<PoolInfo> info = FindPool(module, [&](const PoolInfo& candidate) {
    if (std::find(names.begin(), names.end(), candidate.name) == names.end())
      names.push_back(candidate.name);
    return candidate.name == pool;
  });
  if (!info && !names.empty())
    return absl::NotFoundError(
        fmt::format("constants cannot be loaded into the pool `{}`: the read-write pools are `{}`",
                    pool, fmt::join(names, "`, `")));
  if (budget >= 0) return budget;
  if (!info || info->size_hint_bytes < 0) return INT64_MAX;
  absl::StatusOr<MemoryProblem> made =
      MakeMemoryProblem(module, PlanMemoryOptions(), context.diagnostics);
  if (!made.ok()) return made.status();
  int64_t used = 0;
  if (!made->problem.buffers.empty()) {
    const absl::StatusOr<planner::Plan> plan =
        planner::PlanMemory(made->problem, planner::kDefaultAlgorithm, planner::PlanOptions());
    if (!plan.ok()) return plan.status();
    for (size_t i = 0; i < made->problem.pools.size(); ++i) {
      if (made->problem.pools[i].name == pool) used = plan->pools[i].size;
    }
  }
  return std::max<int64_t>(info->size_hint_bytes - used - kDefaultAlignment + 1, 0);
}

IRModule ReplaceConstants(const IRModule& module,
                          const absl::flat_hash_map<const Constant*, const Constant*>& replacements,
                          PassContext& context) {
  if (replacements.empty()) return module;
  IRModule result = ForEachFunction(module, context, [&](const Function& function, Diagnostics&) {
    return RewriteFunction<LoadReplacer>(module.context(), function, replacements);
  });
  for (const Constant*& constant : result.constants) {
    const auto found = replacements.find(constant);
    if (found != replacements.end()) constant = found->second;
  }
  return result;
}

const Constant* WithPlacement(Context& context, const Constant& constant,
                              ConstantPlacement placement) {
  return context.AddConstant(constant.name(), constant.dtype(), constant.shape(), constant.source(),
                             std::move(placement), constant.range());
}

int64_t PaddedBytes(const Constant& constant) {
  const int64_t alignment = AlignmentOf(constant, kDefaultAlignment);
  const int64_t size = constant.size_bytes();
  return size > INT64_MAX - alignment ? INT64_MAX : (size + alignment - 1) / alignment * alignment;
}

}  // namespace tenon
