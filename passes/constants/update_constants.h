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

/// Lets code generators convert the constants of their external functions
/// (passes/constants/constant_updater.h).
///
///   before:  def dense(x: ..., y: ...):
///                T.func_attr({"Compiler": "transpose"})
///                w = T.allocate_const([1, 2, 3, 4, 5, 6], "int8", [3, 2])
///   after:   I.module_attrs({"tenon.constants": [
///                I.constant("dense_w_transposed", [1, 3, 5, 2, 4, 6], "int8", [2, 3])]})
///            def dense(x: ..., y: ...):
///                T.func_attr({"Compiler": "transpose"})
///                w = T.allocate_const(I.constant("dense_w_transposed"), "int8", [2, 3])
///
/// Without `updater`, each function whose attribute names an updater is passed to it; functions of
/// other code generators stay unchanged. New constants are added to the module's table, where
/// functions can also find them by name: lower-linked-params resolves T.lookup_param("name").
/// Replaced and dropped constants leave the table, unless something else uses them. Run it before
/// hoist-constants. Not idempotent: an updater assumes that its input is unprocessed.
///
/// Errors, at the function or its constant: an unknown updater or function; a name that is taken; a
/// number of bytes that does not match dtype and shape; a dropped constant that is still in use; a
/// buffer that reaches beyond its new constant. Counters: update-constants.functions,
/// update-constants.replaced, update-constants.added, update-constants.dropped,
/// update-constants.bytes_before, update-constants.bytes_after.
absl::StatusOr<IRModule> UpdateConstants(const IRModule& module,
                                         const UpdateConstantsOptions& options,
                                         PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_UPDATE_CONSTANTS_H_
