#ifndef TENON_PASSES_CONSTANTS_MERGE_CONSTANTS_H_
#define TENON_PASSES_CONSTANTS_MERGE_CONSTANTS_H_

#include "ir/storage_defaults.h"
#include "passes/pass.h"

namespace tenon {

struct MergeConstantsOptions {
  std::string level = "exact";
  int64_t alignment = kDefaultAlignment;

  static constexpr auto List() {
    using O = MergeConstantsOptions;
    return std::make_tuple(
        PassOption{"level", &O::level,
                   "exact: equal constants; subrange: also parts of others, and ends that equal "
                   "beginnings"},
        PassOption{"alignment", &O::alignment,
                   "alignment in bytes of constants without one of their own"});
  }
};

/// Lets constants with the same bytes share them, in all functions of the module.
///
///   before:  I.constant("a", [1, 2, 3, 4, 5, 6, 7, 8], "int32", [8])
///            I.constant("b", [[1, 2, 3, 4], [5, 6, 7, 8]], "uint32", [2, 4])
///            I.constant("c", [5, 6], "int32", [2])
///   after:   I.constant("a", [1, 2, 3, 4, 5, 6, 7, 8], "int32", [8])
///            I.constant("b", I.slice("a", 0), "uint32", [2, 4], align=16)
///            I.constant("c", I.slice("a", 16), "int32", [2], align=16)
///
/// - `exact`: same bytes, whatever dtype, shape and name. Constants of the same dtype and shape
///   become one constant; others become slices of it.
/// - `subrange`: also, a constant inside another becomes a slice of it. If the last bytes of one
/// constant
///   are the first of another, both become slices of a new constant `merged`.
///
/// Shared bytes have the largest alignment of all uses, and a slice starts at a multiple of its
/// own. Constants only share with constants of the same section, pools and candidate pools.
/// Constants stay unchanged if they need a separate address, already have a place, or if an
/// attribute of a function or the module refers to them. Hashes select candidates, and bytes are
/// compared. Time is linear in the bytes; passes/constants/merge/merge_engine.h lists the limits.
///
/// ir/analysis/constant_layout.h ensures that shared bytes are placed and emitted once. Idempotent
/// for `exact`. Counters, each with `_bytes`: merge-constants.exact, .contained, .overlapping;
/// merge-constants.across_types and .in_sections, the parts of .exact that linkers and
/// LLVM do not merge; merge-constants.limited, set if a search stopped at its limit.
absl::StatusOr<IRModule> MergeConstants(const IRModule& module,
                                        const MergeConstantsOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_MERGE_CONSTANTS_H_
