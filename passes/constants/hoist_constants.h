#ifndef TENON_PASSES_CONSTANTS_HOIST_CONSTANTS_H_
#define TENON_PASSES_CONSTANTS_HOIST_CONSTANTS_H_

#include <string>

#include "passes/pass.h"

namespace tenon {

struct HoistConstantsOptions {
  std::string functions = {};
  std::string attr = {};

  static constexpr auto List() {
    using O = HoistConstantsOptions;
    return std::make_tuple(
        PassOption{"functions", &O::functions,
                   "names or symbols of functions whose constants move; *: all that have callers "
                   "and allow it"},
        PassOption{"attr", &O::attr, "functions with this attribute, or KEY=VALUE"});
  }
};

/// Moves constants out of functions to their callers, which pass them as arguments, because some
/// code generators for external functions need weights as arguments.
///
///   before `hoist-constants{functions=conv}`:
///     def conv(x: T.Buffer((3,), "int8"), y: T.Buffer((3,), "int8")):
///         w = T.allocate_const([1, 2, 3], "int8", [3])
///         w_1 = T.Buffer((3,), "int8", data=w)
///         for i in range(3):
///             y[i] = x[i] * w_1[i]
///
///     def main(x: T.Buffer((3,), "int8"), y: T.Buffer((3,), "int8")):
///         T.call_extern("int32", "conv", x.data, y.data)
///   after:
///     I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3], "int8", [3])]})
///     def conv(x: T.Buffer((3,), "int8"), y: T.Buffer((3,), "int8"), w: T.Buffer((3,), "int8")):
///         for i in range(3):
///             w_1 = T.Buffer((3,), "int8", data=w.data)
///             y[i] = x[i] * w_1[i]
///
///     def main(...):
///         w = T.allocate_const(I.constant("w"), "int8", [3])
///         T.call_extern("int32", "conv", x.data, y.data, w)
///
/// `functions` are names or symbols, separated by commas or spaces. With neither option, the pass
/// chooses every private function that is called and not recursive. It begins with callees: if a
/// caller is also chosen, constants move on to its callers.
///
/// - New parameters follow the others, but precede a last `T.handle`, which belongs to the device.
///   Each has a buffer of the constant's shape.
/// - A constant that a function contains twice becomes one parameter. All callers share one entry
///   of the module's table.
/// - A claim (`tenon.op`) names the parameter instead of the constant.
/// - The entry keeps its constants (lift-params turns them into arguments).
/// - If an undeclared external function receives a constant, the pass declares it in
///   `tenon.externs` with the assumed effects: it reads constants, and reads and writes all other
///   arguments.
///
/// It is an error if a named function does not exist, is the entry, or has no caller, or if a
/// chosen function calls itself, is already planned, or receives its arguments on the stack.
///
/// A function with the attribute but without callers keeps its constants. Counters:
/// `hoist-constants.functions`, `hoist-constants.parameters`, `hoist-constants.arguments`.
absl::StatusOr<IRModule> HoistConstants(const IRModule& module,
                                        const HoistConstantsOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_HOIST_CONSTANTS_H_
