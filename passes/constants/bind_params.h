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
        PassOption{"file", &O::file, "safetensors file to read"},
        PassOption{"function", &O::function,
                   "function whose parameters become constants; empty: the entry"});
  }
};

/// Reads a file, and turns the parameters whose values it contains into constants.
///
///   before `bind-params{file=w.safetensors}`:
///     def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), w: T.Buffer((4,), "int8")):
///         for i in range(4):
///             y[i] = x[i] * w[i]
///   after:
///     I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3, 4], "int8", [4])]})
///     def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
///         w = T.allocate_const(I.constant("w"), "int8", [4])
///         for i in range(4):
///             w_1 = T.Buffer((4,), "int8", data=w)
///             y[i] = x[i] * w_1[i]
///
/// A tensor `w` of the file is the value of the function's parameter `w`. A tensor `f.w` is the
/// value of the parameter `w` of the function `f`. A tensor `3` or `arr_3` (the name that
/// numpy.savez gives to unnamed arrays) is the value of parameter 3, counted from 0. Parameters
/// without a value in the file are left unchanged. Dtype and shape must match the parameter; a
/// parameter without a shape (`w: T.handle("int8")`) accepts any shape. The bytes are not copied,
/// because constants point into the mapped file.
///
/// Calls of the function omit the arguments. The pointer is still passed to functions that it
/// calls. Parameters that lift-params has lifted from those functions become constants there again,
/// at the same statements and with the same names and placements. So this pass is the inverse of
/// lift-params.
///
/// Errors: a different dtype or shape, a parameter that is not a tensor or has strides, a value
/// that is given twice, a parameter that the function or its callees write to, or a name that is
/// not the name of a parameter. Counters: bind-params.bound, bind-params.bytes. (TVM:
/// relay.build_module.bind_params_by_name, and tir's BindParams, which takes the last parameters.)
absl::StatusOr<IRModule> BindParams(const IRModule& module, const BindParamsOptions& options,
                                    PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_BIND_PARAMS_H_
