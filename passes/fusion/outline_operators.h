#ifndef TENON_PASSES_FUSION_OUTLINE_OPERATORS_H_
#define TENON_PASSES_FUSION_OUTLINE_OPERATORS_H_

#include "passes/pass.h"

namespace tenon {

/// Turns the entry's loop nests into functions again, so that reports, symbols and code generators
/// see operators. A function is named after the operators that it consists of, and lists them in
/// `tenon.origins`.
///
///   before:
///     def main(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
///         a = T.allocate([8], "int32", "global")
///         b = T.Buffer((8,), "int32", data=a)
///         for i in T.serial(8, annotations={"tenon.origins": ["scale", "relu"]}):
///             b[i] = T.max(x[i] * 3, 0)
///         for i in T.serial(8, annotations={"tenon.origins": ["reverse"]}):
///             y[i] = b[7 - i]
///   after:
///     @T.prim_func(private=True)
///     def reverse(p0: T.Buffer((8,), "int32"), output: T.Buffer((8,), "int32")):
///         T.func_attr({"tenon.origins": ["reverse"], "tir.noalias": T.bool(True)})
///         for i in range(8):
///             output[i] = p0[7 - i]
///
///     @T.prim_func(private=True)
///     def scale_relu(p0: T.Buffer((8,), "int32"), output: T.Buffer((8,), "int32")):
///         T.func_attr({"tenon.origins": ["scale", "relu"], "tir.noalias": T.bool(True)})
///         for i in range(8):
///             output[i] = T.max(p0[i] * 3, 0)
///
///     def main(...):
///         a = T.allocate([8], "int32", "global")
///         T.call_extern("int32", "scale_relu", x.data, a)
///         T.call_extern("int32", "reverse", a, y.data)
///
/// - Neighbouring nests that come from one call become one function. Functions with equal bodies
///   are merged.
/// - A function contains the constants that it uses, and the allocations that no other statement
///   uses. Other buffers are its parameters.
/// - `tir.noalias` is set if no two arguments can overlap.
/// - Statements without `tenon.origins`, and statements that may end the entry with an error,
///   remain in the entry.
/// - Conditions and serial loops of the entry remain there, and the operators in them become calls.
///   A condition around a single operator moves into its function.
///
/// Idempotent. Counters: `outline-operators.calls`, `outline-operators.functions`.
absl::StatusOr<IRModule> OutlineOperators(const IRModule& module, const NoOptions& options,
                                          PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_OUTLINE_OPERATORS_H_
