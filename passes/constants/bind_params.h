#ifndef TENON_PASSES_CONSTANTS_BIND_PARAMS_H_
#define TENON_PASSES_CONSTANTS_BIND_PARAMS_H_

#include <string>

#include "passes/pass.h"

namespace tenon {

struct BindParamsOptions {
  std::string file = {};
  std::string function = {};

  static constexpr auto List() {
    using O = BindParamsOptions;
    return std::make_tuple(
        PassOption{"file", &O::file, "safetensors or .npz file to read"},
        PassOption{"function", &O::function,
                   "function whose parameters become constants; empty: the entry"});
  }
};

/// Makes parameters constants: those that a file has values for. Reads that file.
///
///   before:  def main(x: T.Buffer((4,), "int8"), w: T.Buffer((4,), "int8")): ...
///   after:   I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3, 4], "int8", [4])]})
///            def main(x: T.Buffer((4,), "int8")):
///                w = T.allocate_const(I.constant("w"), "int8", [4])
///                ...
///
/// A tensor `w` of the file is for the parameter `w` of the function, a tensor `3` or `arr_3` (as
/// numpy.savez calls what has no name) for its parameter 3, counted from 0, and a tensor `f.w` for
/// the parameter `w` of the function `f`. Parameters that the file does not have stay. Dtype and
/// shape must be the parameter's; where the text says no shape (`w: T.handle("int8")`), any is
/// taken. The bytes are not copied: constants point into the mapped file, but for what a .npz file
/// has compressed, big-endian or in Fortran's order.
///
/// Calls of the function leave the arguments out. To functions that it calls, the pointer is passed
/// as before; but what lift-params has lifted from them goes back to them, to where it was, with
/// its name and place in memory. So this is the inverse of lift-params.
///
/// Errors, at the parameter: another dtype or shape, a parameter that is no tensor or has strides,
/// one that is given twice, or that the function or what it calls writes to; at the function: a
/// name that no parameter has. Counters: bind-params.bound, bind-params.bytes. (TVM:
/// relay.build_module.bind_params_by_name, and tir's BindParams, which takes the last parameters.)
absl::StatusOr<IRModule> BindParams(const IRModule& module, const BindParamsOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_BIND_PARAMS_H_
