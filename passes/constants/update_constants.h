#ifndef TENON_PASSES_CONSTANTS_UPDATE_CONSTANTS_H_
#define TENON_PASSES_CONSTANTS_UPDATE_CONSTANTS_H_

#include <string>

#include "ir/attributes.h"
#include "passes/pass.h"

namespace tenon {

struct UpdateConstantsOptions {
  std::string updater = {};
  std::string attr = std::string(attr_key::kCompiler);
  std::string functions = {};

  static constexpr auto List() {
    using O = UpdateConstantsOptions;
    return std::make_tuple(
        PassOption{"updater", &O::updater,
                   "updater to ask; by default, the updater that each function's attribute names"},
        PassOption{"attr", &O::attr, "attribute of its functions, or KEY=VALUE"},
        PassOption{"functions", &O::functions, "names of its functions, instead of an attribute"});
  }
};

/// Lets code generators replace the constants of their external functions: packed, transposed, with
/// another type or size. docs/guide/constants.md#updating-constants-from-a-code-generator says how
/// to write such a generator.
///
///   before:
///     def dense(x: T.Buffer((2,), "int8"), y: T.Buffer((3,), "int8")):
///         T.func_attr({"Compiler": "transpose"})
///         w = T.allocate_const([1, 2, 3, 4, 5, 6], "int8", [2, 3])
///         w_1 = T.Buffer((3, 2), "int8", data=w)
///         for i, j in T.grid(3, 2):
///             y[i] = y[i] + w_1[i, j] * x[j]
///   after:
///     I.module_attrs({"tenon.constants": [I.constant("dense_w_transposed", [1, 4, 2, 5, 3, 6],
///         "int8", [3, 2])]})
///     def dense(...):
///         ...
///         w = T.allocate_const(I.constant("dense_w_transposed"), "int8", [3, 2])
///         for i, j in T.grid(3, 2):
///             w_1 = T.Buffer((3, 2), "int8", data=w)
///             y[i] = y[i] + w_1[i, j] * x[j]
///
/// Without `updater`, each function whose attribute names an updater goes to it; functions of other
/// code generators stay unchanged. Tenon has three updaters, as examples:
///
/// - `transpose`: transposes constants
/// - `pack-int4`: puts two elements of an int8 constant into a byte
/// - `name`: keeps constants, and gives them TVM's names, `<symbol>_const_<i>`
///
/// New constants go to the module's table. A function allocates the new constant in place of the
/// old one, or finds it by name with `T.lookup_param("name")`, which `lower-linked-params`
/// resolves. Replaced and dropped constants leave the table unless something else uses them. Run
/// this pass before `hoist-constants`. It is not idempotent: an updater assumes that its input is
/// unprocessed.
///
/// Errors:
///
/// - an unknown updater or function
/// - a name that is taken
/// - a number of bytes that does not fit dtype and shape
/// - a dropped constant that is in use
/// - a buffer that reaches beyond its new constant
///
/// Counters: `update-constants.functions`, `update-constants.replaced`, `update-constants.added`,
/// `update-constants.dropped`, `update-constants.bytes_before`, `update-constants.bytes_after`.
absl::StatusOr<IRModule> UpdateConstants(const IRModule& module,
                                         const UpdateConstantsOptions& options,
                                         PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_UPDATE_CONSTANTS_H_
