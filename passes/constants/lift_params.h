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
        PassOption{"file", &LiftParamsOptions::file, "safetensors file to write; empty: none"});
  }
};

/// Makes all constants parameters: no T.allocate_const remains. Writes their values to a file,
/// completely or not at all, as soon as it runs. The inverse of bind-params.
///
///   before:  I.module_attrs({"tenon.constants": [I.constant("w", [1, 2, 3, 4], "int8", [4])]})
///            def layer(x: ..., y: ...):
///                w = T.allocate_const(I.constant("w"), "int8", [4])
///            def main(x: ..., y: ...):
///                T.call_extern("int32", "layer", x.data, y.data)
///   after:   def layer(x: ..., y: ..., w: T.Buffer((4,), "int8")):
///                T.func_attr({"tenon.lifted_params": {"w": {"use": "body"}}})
///            def main(x: ..., y: ..., w: T.Buffer((4,), "int8")):
///                T.func_attr({"tenon.lifted_params": {"w": {"constant": "w", "index": 0,
///                                                           "use": "call"}}})
///                T.call_extern("int32", "layer", x.data, y.data, w.data)
///
/// First extract-constants runs. Then the constants of a function and of its callees become its
/// last parameters (before a resource handle). A constant is one parameter of each function, named
/// after the constant and unlike any other name of the function. Constants in the scope of others,
/// in loops and in branches are bound to the parameter at their old places. The attribute records
/// these places; only bind-params uses it, to restore them.
///
/// The file has each constant under the name of the entry's parameter. A function without callers
/// is lifted like the entry. Its values have names `function.parameter`, so a constant of several
/// such functions is stored several times. Constants that only attributes name (`link_params`; see
/// lower-linked-params) stay.
///
/// Errors: a planned module, a constant without data, or a constant in a function with arguments on
/// the stack (T.call_packed_lowered). Counters: lift-params.constants (in the
/// file), lift-params.bytes, lift-params.parameters (of all functions).
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
