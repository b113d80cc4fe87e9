#ifndef TENON_PASSES_FUSION_STORAGE_GROUPS_H_
#define TENON_PASSES_FUSION_STORAGE_GROUPS_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"

namespace tenon {

/// Pointers whose storage must have one element type: calls pass one as the other, or both bind one
/// constant.
struct StorageGroup {
  /// The dtype of one lane, as all accesses see it; void if nothing accesses the storage.
  DataType dtype = DataType::Void();
  /// True if the type must stay, because more than loads and stores knows the storage: the
  /// application, code from outside, an escaping pointer, an access of another type, or a plan.
  bool fixed = false;
  /// True if some access is of a vector.
  bool has_vectors = false;
  /// True if a call passes a pointer of the group, or a function gets one.
  bool is_passed = false;
  std::vector<const Allocate*> allocations;
  std::vector<const AllocateConst*> constants;
};

/// The groups of a module with flat buffers.
class StorageGroups {
 public:
  explicit StorageGroups(const IRModule& module);

  size_t size() const { return groups_.size(); }
  const StorageGroup& operator[](size_t group) const { return groups_[group]; }
  /// The group of a pointer that a function takes or allocates; -1 for others.
  int Of(const Var* data) const {
    const auto found = group_of_.find(data);
    return found == group_of_.end() ? -1 : found->second;
  }

  struct Member {
    const Var* data = nullptr;
    int group = -1;
  };
  /// The pointers that a function takes or allocates, in the order of its text. Functions are
  /// numbered as in IRModule::functions().
  const std::vector<Member>& MembersOf(size_t function) const { return members_[function]; }

 private:
  friend class StorageGroupFinder;

  std::vector<StorageGroup> groups_;
  std::vector<std::vector<Member>> members_;
  absl::flat_hash_map<const Var*, int> group_of_;
};

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_STORAGE_GROUPS_H_
