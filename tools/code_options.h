#ifndef TENON_TOOLS_CODE_OPTIONS_H_
#define TENON_TOOLS_CODE_OPTIONS_H_

#include <CLI/CLI.hpp>

#include "compile/options.h"

namespace tenon {

/// Adds the options for machine code of a back end.
void AddCodeOptions(CLI::App& app, CompileOptions& compile);

}  // namespace tenon

#endif  // TENON_TOOLS_CODE_OPTIONS_H_
