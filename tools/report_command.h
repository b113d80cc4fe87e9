#ifndef TENON_TOOLS_REPORT_COMMAND_H_
#define TENON_TOOLS_REPORT_COMMAND_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "compile/compiler.h"
#include "report/extras.h"
#include "tools/byoc_options.h"
#include "tools/module_input.h"

namespace tenon {

/// The files for reports: each absent, or a path (empty and `-`: stdout).
struct ReportOutputs {
  std::optional<std::string> json;
  std::optional<std::string> html;
  std::optional<std::string> svg;

  bool any() const { return json || html || svg; }
};

/// The arguments of `tenon report`. Without a file, it writes text to stdout.
struct ReportCommand {
  /// A module; or, if the name ends in .json, a report of one.
  ModuleInput module;
  CompileOptions compile;
  ReportOutputs report;
  ByocReportForm byoc_report = ByocReportForm::kSummary;
  /// Explain the peak of the named pool, or of all workspace pools that have one (empty).
  std::optional<std::string> why;
  /// Print whole tables instead of what fits a terminal.
  bool all = false;
  /// Show what each operator computes and needs.
  bool layers = false;
  /// A file for that table as CSV; it is not shown then.
  std::optional<std::string> layers_csv;
  /// A file with the instructions of functions, for the table of operators.
  std::optional<std::string> instructions;
  /// An earlier report as JSON, to compare with.
  std::optional<std::string> diff;
  /// The file for the planning problem, as JSON for `tenon plan`; nothing else is shown then.
  std::optional<std::string> problem;
};

/// The results of planning for a report on a module.
struct ModuleReport {
  ExternalModule external;
  PlannedModule planned;
  /// Nullopt if the planning problem is wanted instead.
  std::optional<MemoryReport> report;
  ReportExtras extras;
};

/// Plans a module, and plans it again as the report needs. Nullopt after an error.
std::optional<ModuleReport> PlanForReport(const IRModule& module, const ReportCommand& command,
                                          Diagnostics& diagnostics);

/// Adds the explanations and the counts of instructions that the command asks for. Errors: a pool
/// without a peak, or a file that cannot be read.
absl::Status CompleteReport(const ReportCommand& command, ModuleReport& made);

/// The exit code: 0, or 1 after errors. A change is not an error.
int ShowReport(const ReportCommand& command);

/// Writes the reports; false after an error, which it reports.
bool WriteReports(const MemoryReport& report, const ReportExtras& extras,
                  const ReportOutputs& outputs);

}  // namespace tenon

#endif  // TENON_TOOLS_REPORT_COMMAND_H_
