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
                   "beginnings; splat: also runs of equal elements"},
        PassOption{"alignment", &O::alignment,
                   "alignment in bytes of constants without one of their own"});
  }
};

/// Has constants with the same bytes share them, in all functions of the module.
///
///   before:  I.constant("a", [1, 2, 3, 4, 5, 6, 7, 8], "int32", [8])
///            I.constant("b", [[1, 2, 3, 4], [5, 6, 7, 8]], "uint32", [2, 4])
///            I.constant("c", [5, 6], "int32", [2])
///   after:   I.constant("a", [1, 2, 3, 4, 5, 6, 7, 8], "int32", [8])
///            I.constant("b", I.slice("a", 0), "uint32", [2, 4], align=16)
///            I.constant("c", I.slice("a", 16), "int32", [2], align=16)
///
/// Levels, each with what is above it:
/// - `exact`: same bytes, whatever dtype, shape and name. With one dtype and shape, one constant is
///   used by all; else the others become slices of it.
/// - `subrange`: a constant that lies within another becomes a slice of it; where the last bytes of
///   one are the first of another, both become slices of a new constant `merged`.
/// - `splat`: where every use of a constant of equal elements loads single elements, it has one
///   element, and all loads are of that. A vector load and a pointer that goes to a call keep it.
///
/// What is shared has the largest alignment of all, and a slice lies at a multiple of its own.
/// Constants share only with those of the same section, pools and candidate pools. One that must
/// have an address of its own, that has a place already, or that an attribute of a function or the
/// module refers to, stays as it is. Bytes are compared, hashes only say which. Time is linear in
/// the bytes; limits are in passes/constants/merge/merge_engine.h.
///
/// That bytes are shared when they are placed and emitted is for ir/analysis/constant_layout.h.
/// Idempotent for `exact`. Counters, each with `_bytes`: merge-constants.exact, .contained,
/// .overlapping, .splats; merge-constants.across_types and .in_sections, parts of .exact that
/// linkers and LLVM leave; merge-constants.limited, when a search stopped at its limit.
absl::StatusOr<IRModule> MergeConstants(const IRModule& module,
                                        const MergeConstantsOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_MERGE_CONSTANTS_H_
