#include "tools/module_input.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "ir/verifier.h"
#include "parser/parser.h"
#include "support/file.h"

namespace tenon {

namespace {

std::optional<IRModule> Load(Context& context, const ModuleInput& input,
                             const std::shared_ptr<const FileBytes>& file,
                             Diagnostics& diagnostics) {
  ParseOptions parse;
  parse.allow_truncated_constants = input.allow_truncated_constants;
  parse.base_dir = std::filesystem::path(input.path).parent_path().string();
  std::optional<IRModule> module =
      ParseModule(context, file->path(), file->view(), file, parse, diagnostics);
  if (!module || !VerifyModule(*module, diagnostics)) return std::nullopt;
  return module;
}

}  // namespace

int WithModule(const ModuleInput& input,
               const std::function<int(const IRModule&, Diagnostics&)>& body) {
  const absl::StatusOr<std::shared_ptr<const FileBytes>> file = ReadFile(input.path);
  if (!file.ok()) return Fail(std::string(file.status().message()));
  Context context;
  Diagnostics diagnostics;
  const std::optional<IRModule> module = Load(context, input, *file, diagnostics);
  const int code = module ? body(*module, diagnostics) : 1;
  const RenderOptions render{isatty(STDERR_FILENO) != 0};
  const std::string rendered = Render(context.sources(), diagnostics, render);
  std::fwrite(rendered.data(), 1, rendered.size(), stderr);
  return diagnostics.has_errors() ? 1 : code;
}

int Fail(std::string_view message) {
  fmt::print(stderr, "tenon: error: {}\n", message);
  return 1;
}

bool WriteOutput(const std::string& path, std::string_view text) {
  const absl::Status written = WriteFileAtomically(path.empty() ? "-" : path, text);
  if (written.ok()) return true;
  Fail(std::string(written.message()));
  return false;
}

}  // namespace tenon
