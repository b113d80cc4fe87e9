#ifndef TENON_TOOLS_BYOC_OPTIONS_H_
#define TENON_TOOLS_BYOC_OPTIONS_H_

#include <cstdint>

#include "byoc/byoc_report.h"
#include "compile/options.h"
#include "tools/stderr_style.h"

// Flags of external code generators, and what is said of their operators.

namespace CLI {
class App;
}

namespace tenon {

/// How much is said: the summary goes to stderr, the rest to stdout.
enum class ByocReportForm : uint8_t { kSummary, kText, kJson };

/// Adds --generator, --generator-timeout, --targets, --offload-floats, --offload-inexact,
/// --on-generator-error and --byoc-report.
void AddByocOptions(CLI::App& app, CompileOptions& compile, ByocReportForm& form);
/// Adds --externals.
void AddExternalsOption(CLI::App& app, CompileOptions& compile);

/// Says which operators go where, unless no targets are named. False when it cannot be written.
bool ShowByocReport(const ByocReport& report, ByocReportForm form, const StderrStyle& style);

}  // namespace tenon

#endif  // TENON_TOOLS_BYOC_OPTIONS_H_
