#ifndef TENON_PASSES_CONSTANTS_MERGE_MERGE_SPLATS_H_
#define TENON_PASSES_CONSTANTS_MERGE_MERGE_SPLATS_H_

#include "absl/container/flat_hash_set.h"
#include "ir/module.h"

// Internal to merge-constants.

namespace tenon::merging {

struct SplatCounts {
  int64_t constants = 0;
  int64_t bytes = 0;
};

/// Shrinks constants of equal elements to one element, if every use loads single elements at an
/// index without effects: all loads then read element 0. Constants in `kept` stay. Unused constants
/// leave the module's table.
IRModule ShrinkSplats(const IRModule& module, const absl::flat_hash_set<const Constant*>& kept,
                      SplatCounts& counts);

}  // namespace tenon::merging

#endif  // TENON_PASSES_CONSTANTS_MERGE_MERGE_SPLATS_H_
