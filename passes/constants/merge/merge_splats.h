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

/// Gives constants of equal elements a single one where every use loads single elements at an index
/// that has no effects: all loads are then of element 0. What is in `kept` stays. Constants that
/// nothing uses any more leave the module's table.
IRModule ShrinkSplats(const IRModule& module, const absl::flat_hash_set<const Constant*>& kept,
                      SplatCounts& counts);

}  // namespace tenon::merging

#endif  // TENON_PASSES_CONSTANTS_MERGE_MERGE_SPLATS_H_
