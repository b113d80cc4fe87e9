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
///   before `merge-constants{level=subrange}`:
///     def f(A: T.Buffer((4,), "int32")):
///         a = T.allocate_const([1, 2, 3, 4, 5, 6], "int32", [6])
///         b = T.allocate_const([[1, 2, 3], [4, 5, 6]], "uint32", [2, 3])
///         c = T.allocate_const([5, 6], "int32", [2])
///         a_1 = T.Buffer((6,), "int32", data=a)
///         b_1 = T.Buffer((2, 3), "uint32", data=b)
///         c_1 = T.Buffer((2,), "int32", data=c)
///         for i in range(2):
///             A[i] = a_1[i] + T.Cast("int32", b_1[1, i]) + c_1[i]
///   after:
///     I.module_attrs({"tenon.constants": [I.constant("a", [1, 2, 3, 4, 5, 6], "int32", [6]),
///         I.constant("b", I.slice("a", 0), "uint32", [2, 3], align=16), I.constant("c",
///         I.slice("a", 16), "int32", [2], align=16)]})
///     def f(...):
///         ...
///
/// - `exact`: same bytes, whatever dtype, shape and name. Constants of the same dtype and shape
///   become one constant; others become slices of it.
/// - `subrange`: also, a constant inside another becomes a slice of it. If the last bytes of one
///   constant are the first of another, both become slices of a new constant `merged`.
///
/// Shared bytes have the largest alignment of all uses, and a slice starts at a multiple of its
/// own: a smaller alignment lets more constants merge. Constants only share with constants of the
/// same section, pools, candidate pools and `load`. Constants stay unchanged if they need a
/// separate address, already have a place, or if an attribute of a function or the module refers to
/// them (`link_params`: run lower-linked-params first). Hashes select candidates, and bytes are
/// compared. Time is linear in the bytes; passes/constants/merge/merge_engine.h lists the limits.
///
/// ir/analysis/constant_layout.h ensures that shared bytes are placed and emitted once. Idempotent
/// for `exact`. Counters, each with `_bytes`: merge-constants.exact, .contained, .overlapping;
/// merge-constants.across_types and .in_sections, the parts of .exact that linkers and
/// LLVM do not merge; merge-constants.limited, set if a search stopped at its limit
/// (docs/guide/constants.md#merging).
absl::StatusOr<IRModule> MergeConstants(const IRModule& module,
                                        const MergeConstantsOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_MERGE_CONSTANTS_H_
