#ifndef TENON_TOOLS_DUMP_OPTIONS_H_
#define TENON_TOOLS_DUMP_OPTIONS_H_

#include <CLI/CLI.hpp>

#include "passes/pipeline/pass_set.h"
#include "passes/pipeline/runner.h"
#include "support/diagnostics.h"

namespace tenon {

/// Adds the options that print the module between passes, as mlir-opt has them, and --dump-dir. The
/// text goes to stderr.
void AddDumpOptions(CLI::App& app, const PassSet& passes, RunOptions& run);

/// Warns of passes of --print-ir-before and --print-ir-after that are not in the report, which has
/// those that ran.
void WarnOfUnprinted(const RunOptions& run, const RunReport& report, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_TOOLS_DUMP_OPTIONS_H_
