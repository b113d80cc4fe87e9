#ifndef TENON_TOOLS_OPT_LIB_H_
#define TENON_TOOLS_OPT_LIB_H_

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/tflite/read_module.h"
#include "passes/pipeline/pass_set.h"
#include "passes/pipeline/runner.h"
#include "printer/printer.h"
#include "tools/options.h"
#include "tools/stderr_style.h"

namespace tenon {

/// The arguments of tenon-opt.
struct OptOptions {
  /// The name of the program in messages, and its command line.
  std::string program = "tenon-opt";
  std::vector<std::string> arguments;
  std::string input = "-";
  std::string output = "-";
  std::string pipeline;
  bool split_input_file = false;
  bool verify_diagnostics = false;
  bool verify_roundtrip = false;
  bool timing = false;
  /// How passes run, and which ones there are.
  RunOptions run;
  PassSet passes;
  /// A command, to find the first pass after which it fails; empty: none.
  std::string bisect;
  /// Instead of printing the result, compare it with the module in this file.
  std::string compare;
  bool allow_truncated_constants = false;
  bool allow_unknown_ops = false;
  /// A safetensors file with the constants that the text only numbers; or empty.
  std::string constants_from;
  /// Options for reading .tflite files.
  tflite::ReadOptions tflite;
  OnnxInputs onnx;
  PrintOptions print;
  /// Instead of the module, print the names that the text defines, also if it has errors.
  bool print_symbols = false;
  /// The dialect to print in: `tir` or `tirx`; any other name keeps that of the input.
  std::string dialect;
  /// The style of diagnostics.
  StderrStyle style;
};

/// Reads, verifies, runs the pipeline, prints. Diagnostics go to stderr. Returns the exit code: 0
/// done, 1 errors (or, with verify_diagnostics, expectations that were not met, or, with compare, a
/// different module).
int RunOpt(const OptOptions& options);

}  // namespace tenon

#endif  // TENON_TOOLS_OPT_LIB_H_
