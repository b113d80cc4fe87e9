#ifndef TENON_PASSES_CONSTANTS_CONSTANT_ENTRIES_H_
#define TENON_PASSES_CONSTANTS_CONSTANT_ENTRIES_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/module.h"

// Internal to passes/: new names, and entries of the module's table of constants.

namespace tenon {

/// Makes names that are not in use.
class FreeNames {
 public:
  explicit FreeNames(Context& context) : context_(context) {}

  void Take(Symbol name) { taken_.insert(name); }
  /// Marks all names of variables and buffers in the function as used.
  void TakeAll(const PrimFunc& function);
  bool IsTaken(Symbol name) const { return taken_.contains(name); }
  /// Returns `base`, or else the first unused of base_1, base_2, ..., and marks it as used.
  Symbol Make(Symbol base);

 private:
  Context& context_;
  absl::flat_hash_set<Symbol> taken_;
  /// The first number to try after a name.
  absl::flat_hash_map<Symbol, int64_t> next_;
};

/// The module's table of constants while entries are added.
class ConstantEntries {
 public:
  explicit ConstantEntries(const IRModule& module);

  /// The entry for `constant`: `constant` itself if it is one, otherwise a new entry that differs
  /// only in its name. The new name is the constant's own, or `base` if it has none, made unique.
  const Constant* EntryOf(const Constant* constant, Symbol base);
  /// Adds an entry; its name must be free.
  void Add(const Constant* constant);

  /// True for entries.
  bool Has(const Constant* constant) const {
    const auto found = entry_of_.find(constant);
    return found != entry_of_.end() && found->second == constant;
  }
  bool IsTaken(Symbol name) const { return names_.IsTaken(name); }
  const std::vector<const Constant*>& constants() const { return constants_; }

 private:
  Context& context_;
  std::vector<const Constant*> constants_;
  FreeNames names_;
  absl::flat_hash_map<const Constant*, const Constant*> entry_of_;
};

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_CONSTANT_ENTRIES_H_
