#ifndef TENON_PASSES_CONSTANTS_MERGE_MERGE_COLLECT_H_
#define TENON_PASSES_CONSTANTS_MERGE_MERGE_COLLECT_H_

#include <span>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/module.h"
#include "passes/constants/merge/merge_engine.h"

// Internal to merge-constants: what there is to merge in a module.

namespace tenon::merging {

/// The constants that functions allocate.
struct Collection {
  /// Those that may be merged, the module's table first, then as functions have them. A constant
  /// that is used through slices is here, not the slices.
  std::vector<Item> items;
  absl::flat_hash_map<const Constant*, size_t> index;
  /// Everything that is allocated, slices too, in the order of the text, with the names of the
  /// first variables.
  std::vector<std::pair<const Constant*, Symbol>> used;
  /// What attributes refer to, and what has a place or an address of its own.
  absl::flat_hash_set<const Constant*> kept;
};

/// `least_alignment`: of constants that do not say it themselves.
Collection CollectConstants(const IRModule& module, int64_t least_alignment);
/// The same of several modules, one after the other; their constants are of one family where their
/// pools have the same names and sections.
Collection CollectConstants(std::span<const IRModule* const> modules, int64_t least_alignment);

}  // namespace tenon::merging

#endif  // TENON_PASSES_CONSTANTS_MERGE_MERGE_COLLECT_H_
