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
        PassOption{"functions", &O::functions, "names of functions whose constants move, or *"},
        PassOption{"attr", &O::attr, "functions with this attribute, or KEY=VALUE"});
  }
};

/// Moves constants out of functions to their callers, which pass them as arguments. Code generators
/// for external functions that receive their weights as arguments need this.
///
///   before:  def conv(x: ..., y: ...):
///                w = T.allocate_const([1, 2, 3], "int8", [3])
///            def main(x: ..., y: ...):
///                T.call_extern("int32", "conv", x.data, y.data)
///   after:   I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3], "int8", [3])]})
///            def conv(x: ..., y: ..., w: T.Buffer((3,), "int8")):
///            def main(x: ..., y: ...):
///                w = T.allocate_const(I.constant("w"), "int8", [3])
///                T.call_extern("int32", "conv", x.data, y.data, w)
///
/// `functions` lists them (by name or symbol, separated by commas or blanks). `attr` chooses the
/// functions with an attribute, e.g. `attr=Compiler` or `attr=Compiler=ethos-u`. With neither, the
/// pass takes every private function that is called and not recursive. Callees come first: if a
/// caller is also chosen, constants continue to its callers. New parameters come after the others
/// (but before a final plain handle, which is the device's). They have a buffer of the constant's
/// shape and unused names; each constant is one parameter. All callers share the entry of the
/// module's table. If a hoisted constant is passed to an undeclared extern, the function's
/// `tenon.externs` declares the extern with its assumed effects: it reads constants, and reads and
/// writes everything else.
///
/// Errors: a named function that does not exist, is the entry or has no callers. Also a chosen
/// function that is recursive, already planned, or called with arguments on the stack. A function
/// with the attribute but without callers keeps its constants. Counters: hoist-constants.functions,
/// hoist-constants.parameters, hoist-constants.arguments.
absl::StatusOr<IRModule> HoistConstants(const IRModule& module,
                                        const HoistConstantsOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_HOIST_CONSTANTS_H_
