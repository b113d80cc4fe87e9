#ifndef TENON_TOOLS_COMPILE_COMMAND_H_
#define TENON_TOOLS_COMPILE_COMMAND_H_

#include <string>

#include "driver/compile.h"
#include "tools/module_input.h"
#include "tools/report_command.h"

namespace tenon {

/// What `tenon compile` is asked to do.
struct CompileCommand {
  ModuleInput module;
  std::string emit = "c";
  /// A folder.
  std::string output;
  CompileOptions compile;
  ReportOutputs report;
};

/// The exit code: 0, or 1 after errors.
int Compile(const CompileCommand& command);

}  // namespace tenon

#endif  // TENON_TOOLS_COMPILE_COMMAND_H_
