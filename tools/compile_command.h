#ifndef TENON_TOOLS_COMPILE_COMMAND_H_
#define TENON_TOOLS_COMPILE_COMMAND_H_

#include <string>
#include <vector>

#include "compile/compile.h"
#include "tools/llvm_tools.h"
#include "tools/module_input.h"
#include "tools/report_command.h"

namespace tenon {

/// What `tenon compile` is asked to do.
struct CompileCommand {
  /// How to read all of `paths`.
  ModuleInput module;
  /// Several only with CompileOptions::share_workspace.
  std::vector<std::string> paths;
  /// Module names: none, or one for each path.
  std::vector<std::string> names;
  /// With share_workspace: `tvmgen_<name>` is what has the arena.
  std::string shared_name = "shared";
  /// Print which constants the models have in common.
  bool print_merged = false;
  /// Print how long each step took.
  bool timing = false;
  std::string emit = "c";
  /// A folder.
  std::string output;
  CompileOptions compile;
  ReportOutputs report;
  /// Of code that LLVM makes: everything that is emitted but C.
  EmitLlvmOptions llvm;
  /// File for the C header of that code.
  std::optional<std::string> header;
  /// The compiler that links with --emit=shared.
  std::string cc = "cc";
};

/// As Compile, for what is not C.
int CompileWithLlvm(const CompileCommand& command, const LlvmTools& tools);

/// As Compile, for C.
int CompileToFolder(const CompileCommand& command);

/// The exit code: 0, or 1 after errors. `tools` may be null for C.
int Compile(CompileCommand command, const LlvmTools* tools);

}  // namespace tenon

#endif  // TENON_TOOLS_COMPILE_COMMAND_H_
