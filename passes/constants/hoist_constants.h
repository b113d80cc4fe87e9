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
        PassOption{"functions", &O::functions, "names of functions whose constants to move, or *"},
        PassOption{"attr", &O::attr, "functions with this attribute, or KEY=VALUE"});
  }
};

/// Moves constants out of functions to their callers, which pass them as arguments: what a code
/// generator for external functions needs that wants its weights handed over.
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
/// `functions` names them (by name or symbol, parted by commas or blanks), `attr` chooses those
/// with the attribute, e.g. `attr=Compiler` or `attr=Compiler=ethos-u`. With neither, it is every
/// private function that is called and is not recursive. Callees go first: where a caller is chosen
/// too, constants go on to its callers. New parameters stand behind the others (before a last plain
/// handle, which is the device's), have a buffer of the constant's shape, and names that are free;
/// one constant is one parameter. All callers share the entry of the module's table. An extern to
/// which a hoisted constant is passed and that nothing declares is declared in the function's
/// `tenon.externs` as it was assumed to be: it reads constants, reads and writes the rest.
///
/// Errors: a named function that is not there, is the entry or is called by nothing; a chosen one
/// that is recursive, is planned already, or is called with arguments on the stack. A function with
/// the attribute that nothing calls keeps its constants. Counters: hoist-constants.functions,
/// hoist-constants.parameters, hoist-constants.arguments.
absl::StatusOr<IRModule> HoistConstants(const IRModule& module,
                                        const HoistConstantsOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_HOIST_CONSTANTS_H_
