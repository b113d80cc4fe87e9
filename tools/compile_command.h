#ifndef TENON_TOOLS_COMPILE_COMMAND_H_
#define TENON_TOOLS_COMPILE_COMMAND_H_

#include <optional>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "tools/byoc_options.h"
#include "tools/module_input.h"
#include "tools/report_command.h"

namespace tenon {

/// The arguments of `tenon compile`.
struct CompileCommand {
  /// How to read all of `paths`.
  ModuleInput module;
  std::vector<std::string> paths;
  /// Module names: none, or one for each path.
  std::vector<std::string> names;
  /// Print which constants the models have in common.
  bool print_merged = false;
  /// Print how long each step took.
  bool timing = false;
  /// An OutputKind of the back end.
  std::string emit = "c";
  /// A folder or a file, as the back end writes it.
  std::string output;
  CompileOptions compile;
  /// Files and libraries of --link, which are in `compile` once they are read.
  std::vector<std::string> link;
  ReportOutputs report;
  ByocReportForm byoc_report = ByocReportForm::kSummary;
  /// File for the C header, of a back end that emits one file.
  std::optional<std::string> header;
};

/// The exit code: 0, or 1 after errors. `backend` emits `command.emit`.
int RunCompile(CompileCommand command, const Backend& backend);

}  // namespace tenon

#endif  // TENON_TOOLS_COMPILE_COMMAND_H_
