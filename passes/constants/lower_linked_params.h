#ifndef TENON_PASSES_CONSTANTS_LOWER_LINKED_PARAMS_H_
#define TENON_PASSES_CONSTANTS_LOWER_LINKED_PARAMS_H_

#include "passes/pass.h"

namespace tenon {

/// Converts the two older representations of constant parameters to T.allocate_const.
///
///   before:  def f(x: ..., w: T.Buffer((3,), "int8")):
///                T.func_attr({"link_params": {"p0": I.constant("p0"), w: I.constant("w")}})
///                p: T.handle("int8") = T.lookup_param("p0")
///   after:   def f(x: ...):
///                w = T.allocate_const(I.constant("w"), "int8", [3])
///                p = T.allocate_const(I.constant("p0"), "int8", [3])
///
/// With a string key, a function looks a constant up by name: in its own map, then in the module's
/// attribute, in the maps of other functions and in the module's table of constants. A parameter
/// that is a key is removed, and calls omit its argument. The functions' attribute is removed. An
/// unknown name is an error. Counters: lower-linked-params.lookups, lower-linked-params.parameters.
absl::StatusOr<IRModule> LowerLinkedParams(const IRModule& module, const NoOptions& options,
                                           PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_LOWER_LINKED_PARAMS_H_
