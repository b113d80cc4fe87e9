#ifndef TENON_PASSES_CONSTANTS_CONVERT_LINK_PARAMS_H_
#define TENON_PASSES_CONSTANTS_CONVERT_LINK_PARAMS_H_

#include <string>

#include "passes/pass.h"

namespace tenon {

struct ConvertLinkParamsOptions {
  std::string to = "allocate_const";

  static constexpr auto List() {
    return std::make_tuple(
        PassOption{"to", &ConvertLinkParamsOptions::to,
                   "allocate_const; attrs: T.lookup_param and link_params by name; params: "
                   "link_params by parameter"});
  }
};

/// Converts constants to one of TVM's three representations without loss. Converting back gives the
/// same module as extract-constants.
///
///   before `convert-link-params{to=attrs}`:
///     def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
///         w = T.allocate_const([1, 2, 3, 4], "int8", [4])
///         w_1 = T.Buffer((4,), "int8", data=w)
///         for i in range(4):
///             y[i] = x[i] + w_1[i]
///   after:
///     I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3, 4], "int8", [4])]})
///     def main(...):
///         T.func_attr({"link_params": {"w": I.constant("w")}})
///         w: T.handle("int8") = T.lookup_param("w")
///         for i in range(4):
///             w_1 = T.Buffer((4,), "int8", data=w)
///             y[i] = x[i] + w_1[i]
///
/// - `allocate_const`: constants are `T.allocate_const`.
/// - `attrs`: constants are a map `link_params` in every function, read with `T.lookup_param`.
/// - `params`: constants are parameters, as after lift-params; the map binds those that no caller
///   passes.
///
/// docs/guide/constants.md#a-constant-in-text shows these forms.
///
/// From allocate_const: extract-constants runs first, so that every constant has a name. `attrs`
/// gives every function a separate map. `params` makes constants parameters of functions and their
/// callers, as lift-params does, and binds those of the entry and of functions without callers. The
/// attribute `tenon.lifted_params` records their places. Extents and annotations that the older
/// representations cannot express are kept in `tenon.linked_params`.
///
/// To allocate_const: as lower-linked-params, and with the contents of these attributes, if any.
/// (TVM 0.8 to 0.9 had the first of the older representations; the second one comes from the
/// discussion of AllocateConst.)
absl::StatusOr<IRModule> ConvertLinkParams(const IRModule& module,
                                           const ConvertLinkParamsOptions& options,
                                           PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_CONVERT_LINK_PARAMS_H_
