#ifndef TENON_PASSES_CONSTANTS_LOWER_LINKED_PARAMS_H_
#define TENON_PASSES_CONSTANTS_LOWER_LINKED_PARAMS_H_

#include "passes/pass.h"

namespace tenon {

/// Converts the two older representations of constant parameters to `T.allocate_const`. In both, an
/// attribute `link_params` holds constants:
///
/// - It maps names to constants, which a function looks up with `T.lookup_param`.
/// - It maps parameters to constants. The pass removes these parameters and the arguments of calls.
///
/// `tenon` runs this pass first.
///
///   before:
///     def main(x: T.Buffer((2,), "int8"), y: T.Buffer((2,), "int8")):
///         T.func_attr({"link_params": {"p0": I.constant("p0", [1, 2], "int8", [2])}})
///         p: T.handle("int8") = T.lookup_param("p0")
///         w = T.Buffer((2,), "int8", data=p)
///         y[0] = x[0] + w[1]
///   after:
///     I.module_attrs({"tenon.constants": [I.constant("p0", [1, 2], "int8", [2])]})
///     def main(...):
///         p = T.allocate_const(I.constant("p0"), "int8", [2])
///         w = T.Buffer((2,), "int8", data=p)
///         y[0] = x[0] + w[1]
///
/// A name is looked up in the function's own map, then in the module's attribute, in the maps of
/// other functions and in the module's table of constants. An unknown name is an error. The
/// functions' attribute is removed. Counters: `lower-linked-params.lookups`,
/// `lower-linked-params.parameters`.
absl::StatusOr<IRModule> LowerLinkedParams(const IRModule& module, const NoOptions& options,
                                           PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_LOWER_LINKED_PARAMS_H_
