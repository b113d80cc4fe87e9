#ifndef TENON_TOOLS_SHAPING_OPTIONS_H_
#define TENON_TOOLS_SHAPING_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <string>

namespace tenon {

/// The options of a command line that shape the generated code, as `--emit=obj --target=cortex-m4
/// -Os`. They have the order of --help-all, whatever the order of the command line is. Paths have
/// no folders, so the text does not depend on the machine.
std::string ShapingOptions(const CLI::App& command);

}  // namespace tenon

#endif  // TENON_TOOLS_SHAPING_OPTIONS_H_
