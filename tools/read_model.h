#ifndef TENON_TOOLS_READ_MODEL_H_
#define TENON_TOOLS_READ_MODEL_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/tflite/read_module.h"
#include "ir/module.h"
#include "parser/parser.h"
#include "passes/pipeline/runner.h"
#include "support/diagnostics.h"
#include "support/file.h"
#include "tools/options.h"

namespace tenon {

/// Options for reading files of each kind.
struct ReadModelOptions {
  ParseOptions parse;
  tflite::ReadOptions tflite;
  /// For .onnx files, with the options of `tflite` that graphs share.
  OnnxInputs onnx;
  /// Receives the times of the steps; may be null.
  RunReport* report = nullptr;
};

/// Whether a file is a graph of operators: a model of TensorFlow Lite or of ONNX.
bool IsGraphFile(std::string_view bytes);

/// Reads a file for ReadModel. For a binary file of another tool, the error names the format and
/// the next step (support/file_kind.h).
absl::StatusOr<std::shared_ptr<const FileBytes>> ReadModelFile(const std::string& path);

/// Reads `text` as a model of TensorFlow Lite or ONNX if it begins like one, else as TVMScript.
/// `name` is used in messages; `owner` has the text, and is null if the text must be copied.
/// Returns nullopt exactly if there was an error.
std::optional<IRModule> ReadModel(Context& context, std::string_view name, std::string_view text,
                                  std::shared_ptr<const FileBytes> owner,
                                  const ReadModelOptions& options, Diagnostics& diagnostics);

/// The name that generated code takes from a model's file: its name without folder and suffix.
/// Empty for text, pipes and standard input: the entry function names those.
std::string ModelNameOf(const std::string& path);

}  // namespace tenon

#endif  // TENON_TOOLS_READ_MODEL_H_
