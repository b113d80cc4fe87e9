#ifndef TENON_TOOLS_MODULE_INPUT_H_
#define TENON_TOOLS_MODULE_INPUT_H_

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/tflite/read_module.h"
#include "ir/module.h"
#include "lowering/provenance.h"
#include "passes/pipeline/runner.h"
#include "support/diagnostics.h"
#include "support/file.h"
#include "tools/options.h"
#include "tools/stderr_style.h"

namespace tenon {

/// The source of a subcommand's module.
struct ModuleInput {
  std::string path = "-";
  bool allow_truncated_constants = false;
  bool allow_unknown_ops = false;
  /// A safetensors file with the constants that the text only numbers; or empty.
  std::string constants_from;
  /// The style of messages.
  StderrStyle style;
  /// Options for reading .tflite files.
  tflite::ReadOptions tflite;
  OnnxInputs onnx;
  /// Receives the time that reading took, unless null.
  RunReport* report = nullptr;
  /// Receives the origin of each module that was read, in order, unless null.
  std::vector<ModelOrigin>* origins = nullptr;
};

/// Parses and verifies the module in `file`, which was read from the path of `input`. Nullopt
/// exactly after an error.
std::optional<IRModule> LoadModule(Context& context, const ModuleInput& input,
                                   const std::shared_ptr<const FileBytes>& file,
                                   Diagnostics& diagnostics);

/// Reads, parses and verifies the module, gives it to `body`, and prints all diagnostics to stderr.
/// Returns the exit code: that of `body`, or 1 after errors.
int WithModule(const ModuleInput& input,
               const std::function<int(const IRModule&, Diagnostics&)>& body);

/// The same for several modules, in one Context: each of `paths` is read with the options of
/// `input`. Null stands for a module that could not be read, which makes the exit code 1.
int WithModules(const ModuleInput& input, std::span<const std::string> paths,
                const std::function<int(std::span<const IRModule* const>, Diagnostics&)>& body);

/// `tenon: error: message`, on stderr; returns 1.
int Fail(std::string_view message);

/// The files that the modules were read from (ir/input_files.h). Null modules are skipped.
std::vector<std::string> InputFilesOf(std::span<const IRModule* const> modules);

using OptionalPath = std::optional<std::string>;

/// Reports an output that would replace an input or another output. False if there is one. The log
/// of diagnostics is also an output; it is given up then.
bool CheckOutputs(std::span<const std::string> inputs, std::span<const OptionalPath> outputs,
                  const StderrStyle& style);

/// Writes `text` to `path` (`-` or empty: stdout). False after an error, which it reports.
bool WriteOutput(const std::string& path, std::string_view text);

}  // namespace tenon

#endif  // TENON_TOOLS_MODULE_INPUT_H_
