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
///   allocate_const:  w = T.allocate_const(I.constant("w"), "int8", [4])
///   attrs:           T.func_attr({"link_params": {"w": I.constant("w")}})
///                    w: T.handle("int8") = T.lookup_param("w")
///   params:          def main(..., w: T.Buffer((4,), "int8")):
///                        T.func_attr({"link_params": {w: I.constant("w")}})
///
/// From allocate_const: extract-constants runs first, so that every constant has a name. `attrs`
/// gives every function a separate map. `params` makes constants parameters of functions and their
/// callers, as lift-params does, and binds those of the entry and of functions without callers. The
/// attribute "tenon.lifted_params" records their places. Extents and annotations that the older
/// representations cannot express are kept in "tenon.linked_params".
///
/// To allocate_const: as lower-linked-params, and with the contents of these attributes, if any.
/// (TVM 0.8 to 0.9 had the first of the older representations; the second one comes from the
/// discussion of AllocateConst.)
absl::StatusOr<IRModule> ConvertLinkParams(const IRModule& module,
                                           const ConvertLinkParamsOptions& options,
                                           PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_CONVERT_LINK_PARAMS_H_
