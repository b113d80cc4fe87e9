#ifndef TENON_BYOC_HOIST_OPERATOR_CONSTANTS_H_
#define TENON_BYOC_HOIST_OPERATOR_CONSTANTS_H_

#include <optional>
#include <string>
#include <vector>

#include "ir/module.h"
#include "passes/pipeline/runner.h"
#include "support/diagnostics.h"

namespace tenon {

/// Moves constants of operators into the external functions `functions` that call them, where code
/// generators find them. The operators receive them as arguments, and the operators' claims name
/// the new parameters. Nullopt after an error.
std::optional<IRModule> HoistOperatorConstants(const IRModule& module,
                                               const std::vector<std::string>& functions,
                                               const RunOptions& options, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_BYOC_HOIST_OPERATOR_CONSTANTS_H_
