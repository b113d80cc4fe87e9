#ifndef TENON_TOOLS_WRITE_UPDATE_H_
#define TENON_TOOLS_WRITE_UPDATE_H_

#include <optional>
#include <string>
#include <vector>

#include "tools/compile_command.h"

namespace tenon {

/// Writes the constants of a later training for the code of `command.update`, or says why they need
/// other code: in the diagnostics, by the names of operators, functions and constants. Returns what
/// was written, as text; nullopt after an error.
std::optional<std::string> WriteUpdate(const CompileCommand& command,
                                       const std::vector<std::string>& inputs,
                                       const Artifacts& artifacts, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_TOOLS_WRITE_UPDATE_H_
