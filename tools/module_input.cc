#include "tools/module_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <vector>

#include "ir/input_files.h"
#include "ir/verifier.h"
#include "support/file.h"
#include "support/file_kind.h"
#include "support/file_places.h"
#include "support/hash.h"
#include "support/shown_text.h"
#include "tools/diagnostic_log.h"
#include "tools/onnx_options.h"
#include "tools/progress.h"
#include "tools/read_model.h"

namespace tenon {

namespace {

/// The origin of a model with its data in `files`, which may contain its own. A file that can no
/// longer be read is an error of the reader of its constants.
ModelOrigin OriginOf(const FileBytes& model, std::vector<std::string> files) {
  const auto name_of = [](const std::string& path) {
    return std::filesystem::path(path).filename().string();
  };
  // Folders differ from machine to machine.
  std::stable_sort(files.begin(), files.end(), [&](const std::string& a, const std::string& b) {
    return name_of(a) < name_of(b);
  });
  Hasher hasher;
  hasher.Update(model.view());
  for (const std::string& path : files) {
    if (path == model.path()) continue;
    const absl::StatusOr<std::shared_ptr<const FileBytes>> data = ReadFile(path);
    if (data.ok()) hasher.Update((*data)->view());
  }
  const bool is_stream = model.path() == "-" || model.path() == "<stdin>";
  return {is_stream ? "standard input" : name_of(model.path()), HashToString(hasher.Finish())};
}

}  // namespace

std::optional<IRModule> LoadModule(Context& context, const ModuleInput& input,
                                   const std::shared_ptr<const FileBytes>& file,
                                   Diagnostics& diagnostics) {
  ReadModelOptions read;
  read.parse.allow_truncated_constants = input.allow_truncated_constants;
  read.parse.allow_unknown_ops = input.allow_unknown_ops;
  read.parse.constants_from = input.constants_from;
  read.tflite = input.tflite;
  read.onnx = input.onnx;
  read.parse.base_dir = std::filesystem::path(input.path).parent_path().string();
  read.report = input.report;
  const size_t constants = context.constant_count();
  std::optional<IRModule> module =
      ReadModel(context, file->path(), file->view(), file, read, diagnostics);
  if (input.origins != nullptr)
    input.origins->push_back(OriginOf(*file, context.ConstantFiles(constants)));
  const StepTimer timer(input.report, "verification");
  if (!module || !VerifyModule(*module, diagnostics)) return std::nullopt;
  return module;
}

int WithModules(const ModuleInput& input, std::span<const std::string> paths,
                const std::function<int(std::span<const IRModule* const>, Diagnostics&)>& body) {
  if (input.style.log != nullptr && !CheckOutputs(paths, {}, input.style)) return 1;
  Context context;
  Diagnostics diagnostics;
  std::vector<std::optional<IRModule>> modules;
  bool is_complete = true;
  bool has_onnx = false;
  std::set<std::string> used;
  for (const std::string& path : paths) {
    std::optional<IRModule>& module = modules.emplace_back();
    const absl::StatusOr<std::shared_ptr<const FileBytes>> file = ReadModelFile(path);
    if (file.ok()) {
      const Progress progress(fmt::format("reading {}", ShownText(path)), input.style);
      ModuleInput own = input;
      own.path = path;
      if (paths.size() > 1) own.onnx.used = &used;
      has_onnx = has_onnx || FileKindOf((*file)->view()) == FileKind::kOnnx;
      module = LoadModule(context, own, *file, diagnostics);
    } else {
      Fail(std::string(file.status().message()));
      if (input.origins != nullptr) input.origins->emplace_back();
    }
    is_complete &= module.has_value();
  }
  const std::string unused =
      has_onnx && paths.size() == 1 ? "" : UnusedOnnxOption(input.onnx, has_onnx, used);
  if (is_complete && !unused.empty()) return Fail(unused);
  std::vector<const IRModule*> known;
  for (const std::optional<IRModule>& module : modules)
    known.push_back(module ? &*module : nullptr);
  const int code = body(known, diagnostics);
  ShowDiagnostics(context.sources(), diagnostics, input.style);
  return diagnostics.has_errors() || !is_complete ? 1 : code;
}

int WithModule(const ModuleInput& input,
               const std::function<int(const IRModule&, Diagnostics&)>& body) {
  const std::string paths[] = {input.path};
  return WithModules(input, paths,
                     [&](std::span<const IRModule* const> modules, Diagnostics& diagnostics) {
                       return modules[0] == nullptr ? 1 : body(*modules[0], diagnostics);
                     });
}

int Fail(std::string_view message) {
  fmt::print(stderr, "tenon: error: {}\n", EscapeControlsOfLines(message));
  return 1;
}

std::vector<std::string> InputFilesOf(std::span<const IRModule* const> modules) {
  std::vector<std::string> paths;
  for (const IRModule* module : modules) {
    if (module == nullptr) continue;
    const std::vector<std::string> files = InputFiles(*module);
    paths.insert(paths.end(), files.begin(), files.end());
  }
  return paths;
}

bool CheckOutputs(std::span<const std::string> inputs, std::span<const OptionalPath> outputs,
                  const StderrStyle& style) {
  std::vector<std::string> paths;
  for (const OptionalPath& path : outputs) {
    if (path) paths.push_back(path->empty() ? "-" : *path);
  }
  if (style.log != nullptr && style.log->file()) paths.push_back(*style.log->file());
  const absl::Status status = CheckOutputPaths(inputs, paths);
  if (!status.ok() && style.log != nullptr) style.log->GiveUp();
  return status.ok() || Fail(std::string(status.message())) == 0;
}

bool WriteOutput(const std::string& path, std::string_view text) {
  const absl::Status written = WriteFileAtomically(path.empty() ? "-" : path, text);
  if (written.ok()) return true;
  Fail(std::string(written.message()));
  return false;
}

}  // namespace tenon
