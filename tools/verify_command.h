#ifndef TENON_TOOLS_VERIFY_COMMAND_H_
#define TENON_TOOLS_VERIFY_COMMAND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "compile/run/engine.h"
#include "tools/module_input.h"

namespace tenon {

/// The arguments of `tenon verify`.
struct VerifyCommand {
  ModuleInput module;
  /// The Python program that has onnxruntime or LiteRT.
  std::string python = "python3";
  std::string engine = "interp";
  /// Values of inputs that are not random, as `NAME=FILE`.
  std::vector<std::string> inputs;
  /// Chooses the random inputs.
  int64_t seed = 0;
  /// Runs, each on inputs of its own. States carry over from run to run.
  int64_t count = 1;
  Tolerance tolerance;
  /// Compare every tensor that an operator computes, not only outputs.
  bool tensors = false;
  /// VerifiedTensor::got and ::expected are set.
  bool keep_values = false;
  /// A file or folder of tensors that a device wrote, which take the place of the framework
  /// (tools/device_dump.h), and the options that shaped the device's code.
  std::string device_dump;
  CompileOptions compile;
  std::string cc = EngineOptions().cc;
  std::string cflags = EngineOptions().cflags;
};

/// Runs a model in its framework and in Tenon, and compares the outputs, or all tensors. The exit
/// code: 0 if they agree; 1 after errors, or if one differs.
int Verify(const VerifyCommand& command, const Engine& engine);

}  // namespace tenon

#endif  // TENON_TOOLS_VERIFY_COMMAND_H_
