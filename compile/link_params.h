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

// Changes a module as --link-params=on|off asks, before any other pass.

namespace tenon {

/// A module, and the values of the arguments that its constants have become.
struct LinkedModule {
  IRModule module;
  /// Empty where constants are linked. The names are those of the entry's parameters, in their
  /// order. Constants of functions that nothing calls follow, as `function.parameter`.
  std::vector<NamedConstant> params;

  /// The value of the entry's parameter of that name, or null.
  const Constant* Find(std::string_view name) const;
};

/// Parameters that `link_params` binds become constants; without CompileOptions::link_params all
/// constants become parameters then (passes/constants/lift_params.h). Nullopt after an error.
std::optional<LinkedModule> LinkModule(const IRModule& module, const CompileOptions& options,
                                       Diagnostics& diagnostics);

/// The file of the values beside the code of a module, `<prefix>.params.safetensors`; it may be
/// written when the module is gone. An error if some have no bytes.
absl::StatusOr<EmittedFile> ParamsFile(std::string_view prefix, const LinkedModule& linked);

}  // namespace tenon

#endif  // TENON_COMPILE_LINK_PARAMS_H_
