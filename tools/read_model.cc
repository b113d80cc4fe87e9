#include "tools/read_model.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "byoc/recognise_ops.h"
#include "compile/memory_figures.h"
#include "compile/plan.h"
#include "frontends/onnx/read_module.h"
#include "frontends/tflite/read_module.h"
#include "support/file_kind.h"
#include "support/status_macros.h"
#include "tools/onnx_options.h"

namespace tenon {

namespace {

/// Each operator gets a claim of the kind that its loops prove.
std::optional<IRModule> WithClaims(std::optional<IRModule> module, Diagnostics& diagnostics) {
  if (!module) return module;
  PassContext context{.diagnostics = diagnostics, .threads = 1, .counters = {}};
  absl::StatusOr<IRModule> claimed = RecogniseOps(*module, {.kinds_only = true}, context);
  return claimed.ok() ? std::optional(*std::move(claimed)) : std::move(module);
}

/// The workspace of a module in C with Tenon's planner. It does not depend on the options of a
/// command, so all commands choose the same layout for a file, and compute the same numbers.
std::optional<int64_t> WorkspaceOf(const IRModule& module) {
  CompileOptions options;
  options.verify_plan = false;
  options.run.verify_each = false;
  Diagnostics diagnostics;
  const auto planned = PlanModule(module, options, PlanTarget(), diagnostics);
  if (!planned) return std::nullopt;
  return FiguresOf({&*planned, 1}, false).workspace_bytes;
}

std::optional<IRModule> ReadOnnx(Context& context, const std::shared_ptr<const FileBytes>& file,
                                 const ReadModelOptions& options, Diagnostics& diagnostics) {
  absl::StatusOr<onnx::ReadOptions> read = OnnxReadOptions(options.onnx);
  if (!read.ok()) {
    diagnostics.Error(DiagnosticKind::kArguments, {}, std::string(read.status().message()));
    return std::nullopt;
  }
  static_cast<graph::LowerGraphOptions&>(*read) = options.tflite;
  read->workspace_of = &WorkspaceOf;
  return onnx::ReadModule(context, file, *read, diagnostics);
}

}  // namespace

bool IsGraphFile(std::string_view bytes) {
  const FileKind kind = FileKindOf(bytes);
  return kind == FileKind::kTflite || kind == FileKind::kOnnx;
}

absl::StatusOr<std::shared_ptr<const FileBytes>> ReadModelFile(const std::string& path) {
  TENON_ASSIGN_OR(std::shared_ptr<const FileBytes> file, ReadFile(path));
  if (IsGraphFile(file->view())) return file;
  const std::string not_text = WrongKindMessage(file->path(), file->view(), ReaderKind::kModules);
  if (!not_text.empty()) return absl::InvalidArgumentError(not_text);
  return file;
}

std::optional<IRModule> ReadModel(Context& context, std::string_view name, std::string_view text,
                                  std::shared_ptr<const FileBytes> owner,
                                  const ReadModelOptions& options, Diagnostics& diagnostics) {
  if (owner != nullptr && IsGraphFile(text)) {
    const bool is_onnx = FileKindOf(text) == FileKind::kOnnx;
    std::optional<IRModule> module;
    {
      const StepTimer timer(options.report, is_onnx ? "onnx-reader" : "tflite-reader");
      module = is_onnx ? ReadOnnx(context, owner, options, diagnostics)
                       : tflite::ReadModule(context, owner, options.tflite, diagnostics);
    }
    const StepTimer timer(module ? options.report : nullptr, "recognise-ops");
    return WithClaims(std::move(module), diagnostics);
  }
  const StepTimer timer(options.report, "parser");
  return ParseModule(context, name, text, std::move(owner), options.parse, diagnostics);
}

std::string ModelNameOf(const std::string& path) {
  // A pipe has been read by now, and another reader would wait for another writer.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  const absl::StatusOr<std::shared_ptr<const FileBytes>> file = ReadFile(path);
  const bool is_model = file.ok() && IsGraphFile((*file)->view());
  return is_model ? std::filesystem::path(path).stem().string() : std::string();
}

}  // namespace tenon
