#ifndef TENON_TOOLS_COMPILE_COMMAND_H_
#define TENON_TOOLS_COMPILE_COMMAND_H_

#include <optional>
#include <string>

#include "driver/compile.h"
#include "tools/module_input.h"

namespace tenon {

/// Where reports go: each absent, or a path (empty and `-`: stdout).
struct ReportOutputs {
  std::optional<std::string> json;
  std::optional<std::string> html;
};

/// What `tenon compile` is asked to do.
struct CompileCommand {
  ModuleInput module;
  std::string emit = "c";
  /// A folder.
  std::string output;
  CompileOptions compile;
  ReportOutputs report;
};

/// What `tenon report` is asked to do. Without a file, a table on stdout.
struct ReportCommand {
  ModuleInput module;
  CompileOptions compile;
  ReportOutputs report;
  /// Explain the peak: of all workspace pools that have one (empty), or of the one named.
  std::optional<std::string> why;
};

/// The exit code: 0, or 1 after errors.
int Compile(const CompileCommand& command);
int ShowReport(const ReportCommand& command);

}  // namespace tenon

#endif  // TENON_TOOLS_COMPILE_COMMAND_H_
