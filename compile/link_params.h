#ifndef TENON_COMPILE_LINK_PARAMS_H_
#define TENON_COMPILE_LINK_PARAMS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "compile/plan.h"
#include "ir/constant_file.h"
#include "lowering/emitted_file.h"

// Applies --link-params=on|off to a module before all other passes.

namespace tenon {

/// A module, and the values of the arguments that replace its constants.
struct LinkedModule {
  IRModule module;
  /// Empty if constants are linked. The names are those of the entry's parameters, in their order.
  /// Constants of functions without callers follow, as `function.parameter`.
  std::vector<NamedConstant> params;

  /// The value of the entry's parameter of that name, or null.
  const Constant* Find(std::string_view name) const;
};

/// Turns parameters that `link_params` binds into constants. Without CompileOptions::link_params,
/// all constants then become parameters (passes/constants/lift_params.h). Nullopt after an error.
std::optional<LinkedModule> LinkModule(const IRModule& module, const CompileOptions& options,
                                       Diagnostics& diagnostics);

/// The file of the values next to the code of a module, `<prefix>.params.safetensors`. It may be
/// written after the module is destroyed. An error if some values have no bytes.
absl::StatusOr<EmittedFile> ParamsFile(std::string_view prefix, const LinkedModule& linked);

}  // namespace tenon

#endif  // TENON_COMPILE_LINK_PARAMS_H_
