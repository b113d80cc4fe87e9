#ifndef TENON_PASSES_CONSTANTS_INLINE_CONSTANTS_H_
#define TENON_PASSES_CONSTANTS_INLINE_CONSTANTS_H_

#include "passes/pass.h"

namespace tenon {

/// Writes the data of named constants where functions allocate them: extract-constants backwards.
///
///   before:  I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3], "int8", [3])]})
///            def f(...):
///                a = T.allocate_const(I.constant("w"), "int8", [3])
///   after:   def f(...):
///                a = T.allocate_const([1, 2, 3], "int8", [3])
///
/// Each use has its bytes then; nothing is copied before it is printed. Slices become data of their
/// own, too. What cannot be said in place keeps its name: constants that say where they are placed,
/// splats of more than 1 MiB, and those whose bytes were left out. Entries of the table that
/// nothing refers to any more leave it, unless names are looked up (T.lookup_param). Idempotent.
/// Counters: inline-constants.inlined, inline-constants.removed.
absl::StatusOr<IRModule> InlineConstants(const IRModule& module, const NoOptions& options,
                                         PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_INLINE_CONSTANTS_H_
