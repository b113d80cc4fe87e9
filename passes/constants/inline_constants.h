#ifndef TENON_PASSES_CONSTANTS_INLINE_CONSTANTS_H_
#define TENON_PASSES_CONSTANTS_INLINE_CONSTANTS_H_

#include "passes/pass.h"

namespace tenon {

/// Writes the data of named constants where functions allocate them: the inverse of
/// `extract-constants`. Each use, also of a slice, then has its own bytes, which are not copied
/// before the module is printed.
///
/// Some constants keep their names, because inline data cannot express them. These are constants
/// with a placement, splats of more than 1 MiB, and constants without known bytes. Entries of the
/// table without a reference are removed, unless the module looks names up (`T.lookup_param`).
/// Idempotent.
///
///   before:
///     I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3, 4], "int8", [4]),
///         I.constant("v", I.slice("w", 2), "int8", [2])]})
///     def f(A: T.Buffer((2,), "int8")):
///         v = T.allocate_const(I.constant("v"), "int8", [2])
///         v_1 = T.Buffer((2,), "int8", data=v)
///         for i in range(2):
///             A[i] = v_1[i]
///   after:
///     def f(...):
///         v = T.allocate_const([3, 4], "int8", [2])
///         for i in range(2):
///             v_1 = T.Buffer((2,), "int8", data=v)
///             A[i] = v_1[i]
///
/// Counters: `inline-constants.inlined`, `inline-constants.removed`.
absl::StatusOr<IRModule> InlineConstants(const IRModule& module, const NoOptions& options,
                                         PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_INLINE_CONSTANTS_H_
