#ifndef TENON_TOOLS_BYOC_OPTIONS_H_
#define TENON_TOOLS_BYOC_OPTIONS_H_

#include <cstdint>

#include "byoc/byoc_report.h"
#include "compile/options.h"
#include "tools/stderr_style.h"

// Flags of external code generators, and the report on their operators.

namespace CLI {
class App;
}

namespace tenon {

/// The form of the report: the summary goes to stderr, other forms to stdout.
enum class ByocReportForm : uint8_t { kSummary, kText, kJson };

/// Adds --generator, --generator-timeout, --targets, --offload-floats, --offload-inexact,
/// --on-generator-error and --byoc-report.
void AddByocOptions(CLI::App& app, CompileOptions& compile, ByocReportForm& form);
/// Adds --externals.
void AddExternalsOption(CLI::App& app, CompileOptions& compile);
/// Adds --externals with the choices that code without an engine has.
void AddFallbackOption(CLI::App& app, CompileOptions& compile);

/// Reports the target of each operator, unless no targets are named. False if it cannot be written.
bool ShowByocReport(const ByocReport& report, ByocReportForm form, const StderrStyle& style);

}  // namespace tenon

#endif  // TENON_TOOLS_BYOC_OPTIONS_H_
