#include "driver/link_params.h"

#include <fmt/format.h>

#include "passes/lift_params.h"

namespace tenon {

const Constant* LinkedModule::Find(std::string_view name) const {
  for (const NamedConstant& param : params) {
    if (param.name == name) return param.constant;
  }
  return nullptr;
}

std::optional<LinkedModule> LinkModule(const IRModule& module, const CompileOptions& options,
                                       Diagnostics& diagnostics) {
  std::optional<IRModule> linked = LinkParams(module, options, diagnostics);
  if (!linked) return std::nullopt;
  if (options.link_params) return LinkedModule{*std::move(linked), {}};
  PassContext context{diagnostics, options.run.threads, {}};
  std::optional<LiftedModule> lifted = LiftConstants(*linked, context);
  if (!lifted) return std::nullopt;
  return LinkedModule{std::move(lifted->module), std::move(lifted->values)};
}

std::string ParamsFileName(std::string_view prefix) {
  return fmt::format("{}.params.safetensors", prefix);
}

}  // namespace tenon
