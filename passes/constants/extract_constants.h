#ifndef TENON_PASSES_CONSTANTS_EXTRACT_CONSTANTS_H_
#define TENON_PASSES_CONSTANTS_EXTRACT_CONSTANTS_H_

#include "passes/pass.h"

namespace tenon {

/// Moves the data of constants written inside functions to the module's table of named constants.
///
///   before:
///     def f(y: T.Buffer((3,), "int8")):
///         w = T.allocate_const([1, 2, 3], "int8", [3])
///         w_1 = T.Buffer((3,), "int8", data=w)
///         y[0] = w_1[1]
///     def g(y: T.Buffer((3,), "int8")):
///         v = T.allocate_const([1, 2, 3], "int8", [3])
///         v_1 = T.Buffer((3,), "int8", data=v)
///         y[0] = v_1[2]
///   after:
///     I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3], "int8", [3])]})
///     def f(...):
///         w = T.allocate_const(I.constant("w"), "int8", [3])
///         ...
///     def g(...):
///         v = T.allocate_const(I.constant("w"), "int8", [3])
///         ...
///
/// Constants with the same dtype, shape and content become one constant, including those already in
/// the table, unless they need a separate address or another placement. A constant is named after
/// its first variable, with a number appended if the name is taken. Constants within the scope of
/// other constants are also extracted. Idempotent. Counters: extract-constants.extracted,
/// extract-constants.merged, extract-constants.bytes_saved. (TVM:
/// tir.transform.ExtractPrimFuncConstants, which does not look into the scope of a constant.)
absl::StatusOr<IRModule> ExtractConstants(const IRModule& module, const NoOptions& options,
                                          PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_EXTRACT_CONSTANTS_H_
