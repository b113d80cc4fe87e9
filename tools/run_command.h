#ifndef TENON_TOOLS_RUN_COMMAND_H_
#define TENON_TOOLS_RUN_COMMAND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compile/run/engine.h"
#include "tools/byoc_options.h"
#include "tools/module_input.h"

namespace tenon {

/// The arguments of `tenon run`. Tensors are given as `FILE` (in order) or `name=FILE`.
struct RunCommand {
  ModuleInput module;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> expected;
  std::string engine = "interp";
  /// The module is that of a package (tools/package_command.h).
  bool is_package = false;
  /// Plan the memory before the module is interpreted; C is always planned.
  bool plan = false;
  CompileOptions compile;
  /// Files and libraries of --link, which are in `compile` once they are read.
  std::vector<std::string> link;
  /// EngineOptions::allowed_externs.
  std::vector<std::string> allowed_externs;
  /// The compiler of the engine `c`, and its flags.
  std::string cc = EngineOptions().cc;
  std::string cflags = EngineOptions().cflags;
  int64_t repeat = 1;
  /// Files have one more axis in front. The model runs for each index of that axis, and states are
  /// reset each time.
  bool each = false;
  ByocReportForm byoc_report = ByocReportForm::kSummary;
  /// A file for the times of the runs; nullopt for none.
  std::optional<std::string> json;
  /// Threads for parallel loops of C and LLVM code; 1 runs them serially. The interpreter has one
  /// thread.
  int threads = 1;
  /// Iterations and calls after which the interpreter stops a run; 0 for its default limit.
  int64_t max_steps = 0;
  /// A folder for every tensor of a .tflite file; empty for none.
  std::string dump_tensors;
};

/// The options of the engine. The callbacks and the package are not set.
EngineOptions EngineOptionsOf(const RunCommand& command);

/// Prepares a linked module for the command's engine, as engines that compile it do themselves: the
/// interpreter runs the bodies of external functions, and a planned module if the options ask for a
/// plan. `externals` receives the targets of operators, if there are any. False after an error.
bool PrepareForEngine(const RunCommand& command, IRModule& module,
                      std::optional<ByocReport>& externals, Diagnostics& diagnostics);

/// The exit code: 0; 1 after errors, or if an output differs from the expected one.
int Run(const RunCommand& command, const Engine& engine);

}  // namespace tenon

#endif  // TENON_TOOLS_RUN_COMMAND_H_
