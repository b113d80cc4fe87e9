#ifndef TENON_PASSES_CONSTANTS_INLINE_CONSTANTS_H_
#define TENON_PASSES_CONSTANTS_INLINE_CONSTANTS_H_

#include "passes/pass.h"

namespace tenon {

/// Writes the data of named constants where functions allocate them: the inverse of
/// extract-constants.
///
///   before:  I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3], "int8", [3])]})
///            def f(...):
///                a = T.allocate_const(I.constant("w"), "int8", [3])
///   after:   def f(...):
///                a = T.allocate_const([1, 2, 3], "int8", [3])
///
/// Each use then has its own bytes, but nothing is copied before printing. Slices also become
/// separate data. Some constants keep their names, since inline data cannot express them: constants
/// with a placement, splats of more than 1 MiB, and constants with elided bytes. Unreferenced
/// entries are removed from the table, unless names are looked up (T.lookup_param). Idempotent.
/// Counters: inline-constants.inlined, inline-constants.removed.
absl::StatusOr<IRModule> InlineConstants(const IRModule& module, const NoOptions& options,
                                         PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_INLINE_CONSTANTS_H_
