// Runs the pass hoist-constants for all operators of external functions at once, so that operators
// that two functions share keep the same signature.

#include "byoc/hoist_operator_constants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "byoc/code_generator.h"
#include "ir/function_interface.h"
#include "passes/constants/hoist_constants.h"

namespace tenon {

std::optional<IRModule> HoistOperatorConstants(const IRModule& module,
                                               const std::vector<std::string>& functions,
                                               const RunOptions& options,
                                               Diagnostics& diagnostics) {
  std::vector<std::string> operators;
  for (const std::string& name : functions) {
    const Function* function = module.FindCallee(name);
    if (function == nullptr) continue;
    const ExternalFunction external = ReadExternalFunction(module, *function);
    if (!external.ops) continue;
    for (const OpCall& call : *external.ops) {
      const Function* op = call.op.function;
      if (op == nullptr || ConstantsOf(*op->func).empty()) continue;
      std::string op_name(op->name.view());
      if (std::find(operators.begin(), operators.end(), op_name) == operators.end())
        operators.push_back(std::move(op_name));
    }
  }
  if (operators.empty()) return module;
  return RunPipeline(
      module,
      Pipeline().Add<&HoistConstants>({.functions = fmt::format("{}", fmt::join(operators, ","))}),
      options, diagnostics);
}

}  // namespace tenon
