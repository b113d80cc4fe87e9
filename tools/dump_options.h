#ifndef TENON_TOOLS_DUMP_OPTIONS_H_
#define TENON_TOOLS_DUMP_OPTIONS_H_

#include <CLI/CLI.hpp>

#include "passes/pipeline/pass_set.h"
#include "passes/pipeline/runner.h"

namespace tenon {

/// Adds the options that print the module between passes, as mlir-opt has them, and --dump-dir. The
/// text goes to stderr.
void AddDumpOptions(CLI::App& app, const PassSet& passes, RunOptions& run);

}  // namespace tenon

#endif  // TENON_TOOLS_DUMP_OPTIONS_H_
