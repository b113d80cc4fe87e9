#ifndef TENON_TOOLS_COMPILE_COMMAND_H_
#define TENON_TOOLS_COMPILE_COMMAND_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.h"
#include "compile/framework.h"
#include "compile/memory_figures.h"
#include "compile/package/make_package.h"
#include "tools/byoc_options.h"
#include "tools/module_input.h"
#include "tools/report_command.h"

namespace tenon {

/// The arguments of `tenon compile`.
struct CompileCommand {
  /// Options for reading all of `paths`.
  ModuleInput module;
  std::vector<std::string> paths;
  /// Module names: none, or one for each path.
  std::vector<std::string> names;
  /// Print the constants that the models have in common.
  bool print_merged = false;
  /// Print the time of each step.
  bool timing = false;
  /// Print the machine that loops are chosen for, and stop.
  bool print_machine = false;
  /// Print the known boards, or the JSON of this one, and stop.
  bool list_boards = false;
  std::string print_board;
  /// An OutputKind of the back end.
  std::string emit = "c";
  /// A folder or a file, depending on the back end.
  std::string output;
  /// Flags of the C compiler for a package; its program is `compile.linker`.
  std::string cflags = PackageOptions().cflags;
  CompileOptions compile;
  /// Files and libraries of --link, which are in `compile` once they are read.
  std::vector<std::string> link;
  ReportOutputs report;
  ByocReportForm byoc_report = ByocReportForm::kSummary;
  /// The manifest of an earlier compilation, whose code the new constants are for; or empty.
  std::string update_of;
  std::optional<UpdateManifest> update;
  /// A file for the C header, for a back end that emits one file.
  std::optional<std::string> header;
};

/// The value of `emit` for packages, which the C back end makes.
inline constexpr std::string_view kEmitPackage = "package";

/// Whether the command prints something and stops.
inline bool OnlyPrints(const CompileCommand& command) {
  return command.print_machine || command.list_boards || !command.print_board.empty();
}

/// Sets options of the compilation that follow from `emit`.
void SettleEmit(CompileCommand& command);

/// The totals of a compiled program.
MemoryFigures ProgramFigures(const CompileCommand& command, const Artifacts& artifacts);

/// Puts the files of a compilation into the folders of the framework that `emit` names, if it names
/// one. False after an error.
bool SettleFiles(const CompileCommand& command, Artifacts& artifacts, Diagnostics& diagnostics);

/// The options for making a package of the compiled module.
PackageOptions PackageOptionsOf(const CompileCommand& command);

/// The exit code: 0, or 1 after errors. `backend` emits `command.emit`.
int RunCompile(CompileCommand command, const Backend& backend);

/// Prints what the command asks for (OnlyPrints). The exit code: 0, or 1 after errors.
int PrintOnly(const CompileCommand& command, const Backend& backend);

}  // namespace tenon

#endif  // TENON_TOOLS_COMPILE_COMMAND_H_
