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
  /// Plan the memory before the module is interpreted; C is always planned.
  bool plan = false;
  CompileOptions compile;
  /// Files and libraries of --link, which are in `compile` once they are read.
  std::vector<std::string> link;
  /// The compiler of the engine `c`, and its flags.
  std::string cc = EngineOptions().cc;
  std::string cflags = EngineOptions().cflags;
  int64_t repeat = 1;
  /// Files have one more axis in front; the model runs on each index of it. States begin anew.
  bool each = false;
  ByocReportForm byoc_report = ByocReportForm::kSummary;
  /// A file for how long the runs took; nothing: not asked for.
  std::optional<std::string> json;
  /// On which parallel loops of C and LLVM code run; 1: serially. The interpreter has one.
  int threads = 1;
  /// Iterations and calls until the interpreter gives a run up; 0: its own limit.
  int64_t max_steps = 0;
  /// A folder for every tensor of a .tflite file; empty: not asked for.
  std::string dump_tensors;
};

/// The exit code: 0; 1 after errors or when an output is not as expected.
int Run(const RunCommand& command, const Engine& engine);

}  // namespace tenon

#endif  // TENON_TOOLS_RUN_COMMAND_H_
