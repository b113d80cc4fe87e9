#ifndef TENON_PASSES_CONSTANTS_LIFT_PARAMS_H_
#define TENON_PASSES_CONSTANTS_LIFT_PARAMS_H_

#include <optional>
#include <string>
#include <vector>

#include "ir/constant_file.h"
#include "passes/pass.h"

namespace tenon {

struct LiftParamsOptions {
  std::string file = {};

  static constexpr auto List() {
    return std::make_tuple(
        PassOption{"file", &LiftParamsOptions::file,
                   "safetensors file to write, completely or not at all; empty: none"});
  }
};

/// Turns all constants into parameters, of their functions and of all callers up to the entry, and
/// **writes** their values to a file. It is the inverse of bind-params.
///
/// - extract-constants runs first, so that no `T.allocate_const` is left.
/// - A constant becomes one parameter of each function, after the other parameters and before a
///   resource handle.
/// - The parameter has the name of the constant, unless the function has that name already.
/// - Constants in the scope of others, in loops and in branches are bound to the parameter where
///   they were allocated.
/// - A claim (`tenon.op`) names the parameter instead of the constant. bind-params does the
///   reverse.
///
///   before:
///     def layer(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
///         w = T.allocate_const([1, 2, 3, 4], "int8", [4])
///         w_1 = T.Buffer((4,), "int8", data=w)
///         for i in range(4):
///             y[i] = x[i] + w_1[i]
///
///     def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
///         T.call_extern("int32", "layer", x.data, y.data)
///   after:
///     def layer(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), w: T.Buffer((4,), "int8")):
///         T.func_attr({"tenon.lifted_params": {"w": {"use": "body"}}})
///         for i in range(4):
///             w_1 = T.Buffer((4,), "int8", data=w.data)
///             y[i] = x[i] + w_1[i]
///
///     def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8"), w: T.Buffer((4,), "int8")):
///         T.func_attr({"tenon.lifted_params": {"w": {"constant": "w", "index": 0,
///             "use": "call"}}})
///         T.call_extern("int32", "layer", x.data, y.data, w.data)
///
/// With the attribute, bind-params can restore every constant: the statement that allocates it, its
/// name, and its placement in memory. A function without callers is lifted like the entry, and its
/// values have names `function.parameter` in the file. A constant of several such functions is
/// stored several times. Constants that only attributes name (`link_params`) are not lifted, so run
/// lower-linked-params first.
///
/// Errors: a planned module, a constant without data, or a constant in a function that receives its
/// arguments on the stack.
///
/// Counters: `lift-params.constants`, `lift-params.bytes` (of the file), `lift-params.parameters`
/// (of all functions).
absl::StatusOr<IRModule> LiftParams(const IRModule& module, const LiftParamsOptions& options,
                                    PassContext& context);

/// A module without constants, and the values of its new parameters.
struct LiftedModule {
  IRModule module;
  /// By the names that bind-params accepts; the entry's first, in the order of its parameters.
  std::vector<NamedConstant> values;
};

/// LiftParams without a file. Nullopt after an error.
std::optional<LiftedModule> LiftConstants(const IRModule& module, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_LIFT_PARAMS_H_
