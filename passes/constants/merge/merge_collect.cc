// Constants may share bytes only if all their uses allow the same places. So the family of a
// constant is the set of pools, sections and scopes of its uses. A slice counts as a use of the
// constant that it is cut from.

#include "passes/constants/merge/merge_collect.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "ir/analysis/constant_layout.h"
#include "ir/memory_pools.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace tenon::merging {

namespace {

/// Facts about a constant from its uses.
struct Users {
  int64_t alignment = 1;
  /// The candidate pools and storage scope of each use.
  std::set<std::string> places;
  bool is_out = false;    ///< takes no part
  bool is_fixed = false;  ///< stays as it is
};

class Collector {
 public:
  explicit Collector(int64_t least_alignment) : least_alignment_(least_alignment) {}

  Collection Collect(std::span<const IRModule* const> modules) {
    for (const IRModule* module : modules) FindUsers(*module);
    for (const IRModule* module : modules) {
      for (const Constant* constant : module->constants) AddItem(RootOf(*constant).data);
    }
    for (const auto& [constant, name] : result_.used) AddItem(RootOf(*constant).data);
    return std::move(result_);
  }

 private:
  void FindUsers(const IRModule& module) {
    for (const Function& function : module.functions()) {
      Walk(function.func, [&](const Node* node) {
        if (const auto* allocate = dyn_cast<AllocateConst>(node)) Add(*allocate);
        if (const auto* attr = dyn_cast<ConstantAttr>(node)) Fix(attr->value);
        return !Expr::ClassOf(node);
      });
    }
    const auto fix = [&](const Node* node) {
      if (const auto* attr = dyn_cast<ConstantAttr>(node)) Fix(attr->value);
      return true;
    };
    Walk(module.attrs(), fix);
    if (module.global_infos() != nullptr) Walk(module.global_infos(), fix);
  }

  void Add(const AllocateConst& allocate) {
    const Constant* data = allocate.data;
    if (data == nullptr) return;
    const ConstantRoot root = RootOf(*data);
    Users& users = users_[root.data];
    const int64_t alignment = AlignmentOf(*data, least_alignment_);
    // A slice at an offset that is not a multiple of its alignment cannot share bytes.
    if (root.offset % alignment == 0) users.alignment = std::max(users.alignment, alignment);
    std::string place(allocate.buffer_var->type->scope.view());
    for (const PoolInfo& pool : ReadCandidates(allocate.annotations)) {
      place += '\0';
      place += pool.name;
      place += '\0';
      place += pool.section;
    }
    users.places.insert(std::move(place));
    users.is_out |= ReadPlacement(allocate.annotations).has_value() ||
                    data->placement().address_significant ||
                    root.data->placement().address_significant;
    if (seen_.insert(data).second) result_.used.emplace_back(data, allocate.buffer_var->name);
  }

  void Fix(const Constant* constant) {
    if (constant == nullptr) return;
    users_[RootOf(*constant).data].is_fixed = true;
  }

  void AddItem(const Constant* root) {
    const auto found = users_.find(root);
    if (found == users_.end() || found->second.places.empty() || found->second.is_out) return;
    if (!result_.index.try_emplace(root, result_.items.size()).second) return;
    const Users& users = found->second;
    std::string key = root->placement().section;
    for (const std::string& pool : root->placement().pools) key += '\1' + pool;
    key += '\3' + root->placement().load + '\3' + root->placement().codec;
    for (const std::string& place : users.places) key += '\2' + place;
    TENON_CHECK(root != nullptr);
    const size_t family = families_.try_emplace(std::move(key), families_.size()).first->second;
    // The constant itself may be unused, but its properties still apply.
    const int64_t alignment = std::max(users.alignment, root->placement().alignment);
    result_.items.push_back({root, std::max<int64_t>(alignment, 1), family, users.is_fixed});
  }

  int64_t least_alignment_;
  Collection result_;
  absl::flat_hash_map<const Constant*, Users> users_;
  absl::flat_hash_set<const Constant*> seen_;
  absl::flat_hash_map<std::string, size_t> families_;
};

}  // namespace

Collection CollectConstants(const IRModule& module, int64_t least_alignment) {
  const IRModule* const modules[] = {&module};
  return CollectConstants(modules, least_alignment);
}

Collection CollectConstants(std::span<const IRModule* const> modules, int64_t least_alignment) {
  return Collector(least_alignment).Collect(modules);
}

}  // namespace tenon::merging
