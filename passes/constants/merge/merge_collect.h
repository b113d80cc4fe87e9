#ifndef TENON_PASSES_CONSTANTS_MERGE_MERGE_COLLECT_H_
#define TENON_PASSES_CONSTANTS_MERGE_MERGE_COLLECT_H_

#include <span>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"
#include "passes/constants/merge/merge_engine.h"

// Internal to merge-constants: the constants of a module that may be merged.

namespace tenon::merging {

/// The constants that functions allocate.
struct Collection {
  /// The constants that may be merged, the module's table first, then in the order of functions. A
  /// slice is represented by the constant that it is cut from.
  std::vector<Item> items;
  absl::flat_hash_map<const Constant*, size_t> index;
  /// All allocated constants, including slices, in the order of the text, with the names of their
  /// first variables.
  std::vector<std::pair<const Constant*, Symbol>> used;
};

/// `least_alignment` applies to constants without an explicit alignment.
Collection CollectConstants(const IRModule& module, int64_t least_alignment);
/// The same for several modules, one after another. Their constants are of the same family if their
/// pools have the same names and sections.
Collection CollectConstants(std::span<const IRModule* const> modules, int64_t least_alignment);

}  // namespace tenon::merging

#endif  // TENON_PASSES_CONSTANTS_MERGE_MERGE_COLLECT_H_
