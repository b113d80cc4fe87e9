#ifndef TENON_TOOLS_UNUSED_FLAGS_H_
#define TENON_TOOLS_UNUSED_FLAGS_H_

#include <CLI/CLI.hpp>
#include <string>

#include "tools/compile_command.h"
#include "tools/package_command.h"
#include "tools/plan_command.h"
#include "tools/report_command.h"
#include "tools/run_command.h"
#include "tools/verify_command.h"

namespace tenon {

/// An error message for a flag without effect next to the other flags; empty if all flags have an
/// effect. `app` is the command as it was parsed.
std::string UnusedFlag(const CLI::App& app, const CompileCommand& command);
std::string UnusedFlag(const CLI::App& app, const RunCommand& command);
std::string UnusedFlag(const CLI::App& app, const ReportCommand& command);
std::string UnusedFlag(const CLI::App& app, const PlanCommand& command);
std::string UnusedFlag(const CLI::App& app, const VerifyCommand& command);
std::string UnusedFlag(const CLI::App& app, const PackageCommand& command);

}  // namespace tenon

#endif  // TENON_TOOLS_UNUSED_FLAGS_H_
