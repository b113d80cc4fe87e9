#ifndef TENON_TOOLS_COMMAND_TABLES_H_
#define TENON_TOOLS_COMMAND_TABLES_H_

#include <CLI/CLI.hpp>
#include <string_view>

#include "tools/compile_command.h"
#include "tools/operators_command.h"
#include "tools/package_command.h"
#include "tools/plan_command.h"
#include "tools/report_command.h"
#include "tools/run_command.h"
#include "tools/verify_command.h"

namespace tenon {

/// The arguments of all commands of `tenon`.
struct Commands {
  CompileCommand compile;
  RunCommand run;
  ReportCommand report;
  PlanCommand plan;
  PackageCommand package;
  VerifyCommand verify;
  OperatorsCommand operators;
};

/// How --help shows the value of an option for an output, which stdout receives without it.
inline constexpr std::string_view kOutputFile = "[=FILE]";

/// Adds all commands with their options, which write to `commands`. Returns --planner of `run`,
/// because SettleRun must know whether it was given.
const CLI::Option& AddCommands(CLI::App& app, Commands& commands);

}  // namespace tenon

#endif  // TENON_TOOLS_COMMAND_TABLES_H_
