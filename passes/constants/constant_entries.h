#ifndef TENON_PASSES_CONSTANTS_CONSTANT_ENTRIES_H_
#define TENON_PASSES_CONSTANTS_CONSTANT_ENTRIES_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/module.h"

// Internal to passes/: names for what a pass makes, and entries of the module's table of constants.

namespace tenon {

/// Names that are taken, and new ones.
class FreeNames {
 public:
  explicit FreeNames(Context& context) : context_(context) {}

  void Take(Symbol name) { taken_.insert(name); }
  /// Takes all names of variables and buffers in the function.
  void TakeAll(const PrimFunc& function);
  bool IsTaken(Symbol name) const { return taken_.contains(name); }
  /// Takes `base`, or else the first of base_1, base_2, ... that is free.
  Symbol Make(Symbol base);

 private:
  Context& context_;
  absl::flat_hash_set<Symbol> taken_;
  /// The first number to try behind a name.
  absl::flat_hash_map<Symbol, int64_t> next_;
};

/// The module's table of constants while it grows.
class ConstantEntries {
 public:
  explicit ConstantEntries(const IRModule& module);

  /// The entry that stands for `constant`: itself if it is one, else a new one that is the same in
  /// all but its name, which is its own, or `base` if it has none, made free.
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
