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

/// Moves constants out of functions to their callers, which pass them as arguments. Some code
/// generators for external functions need their weights as arguments.
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
/// `functions` are names or symbols, separated by commas or blanks. With neither option, the pass
/// takes every private function that is called and not recursive. Callees come first: if a caller
/// is also chosen, constants move on to its callers.
///
/// - New parameters come after the others, but before a last `T.handle`, which is the device's.
///   They have a buffer of the constant's shape.
/// - A constant that a function has twice is one parameter. All callers share one entry of the
///   module's table.
/// - A claim (`tenon.op`) names the parameter instead of the constant.
/// - The entry keeps its constants (lift-params makes them arguments).
/// - An undeclared extern that gets a constant is declared in `tenon.externs`, with the assumed
///   effects: it reads constants, and reads and writes the rest.
///
/// Errors: a named function does not exist, is the entry, or has no caller. A chosen function calls
/// itself, is already planned, or gets its arguments on the stack.
///
/// A function with the attribute but without callers keeps its constants. Counters:
/// `hoist-constants.functions`, `hoist-constants.parameters`, `hoist-constants.arguments`.
absl::StatusOr<IRModule> HoistConstants(const IRModule& module,
                                        const HoistConstantsOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_HOIST_CONSTANTS_H_
