#include "tools/package_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "compile/package/check_machine.h"
#include "compile/package/module_facts.h"
#include "support/shown_text.h"

namespace tenon {

namespace {

/// `1,234,567`.
std::string Grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

std::string TensorLine(std::string_view kind, const PackageTensor& tensor) {
  std::string line = fmt::format("{:<9} {} {}[{}]", kind, tensor.name, tensor.dtype,
                                 fmt::join(tensor.shape, ", "));
  if (tensor.scale)
    line += fmt::format(", {} * (integer {} {})", *tensor.scale, tensor.zero_point < 0 ? '+' : '-',
                        std::abs(tensor.zero_point));
  return line;
}

/// The lines of `tenon package list`.
std::string ListText(const Package& package) {
  const auto all = [](const std::vector<std::string>& texts) {
    return texts.empty() ? std::string("none") : fmt::format("{}", fmt::join(texts, ", "));
  };
  std::string text =
      fmt::format("tenon     {}\nprefix    {}\nprocessor {}, instructions: {}\n", package.tenon,
                  package.prefix, package.machine.architecture, all(package.machine.features));
  for (const PackageTensor& tensor : package.inputs) text += TensorLine("input", tensor) + "\n";
  for (const PackageTensor& tensor : package.outputs) text += TensorLine("output", tensor) + "\n";
  for (const PackageGenerator& generator : package.generators) {
    const std::string version = generator.version.empty()
                                    ? ""
                                    : fmt::format(", {} {}", generator.name(), generator.version);
    text +=
        fmt::format("target    {}{}: {}\n", generator.target, version, all(generator.functions));
  }
  if (!package.checks.empty()) text += fmt::format("checks    {}\n", all(package.checks));
  for (const PackageLibrary& library : package.libraries)
    text += fmt::format("library   {}: {}, {}\n", library.name, library.file,
                        HashToString(library.hash));
  const auto places = PackagePlaces(package, ManifestOf(package).size());
  size_t widest = 0;
  for (const PackageFile& file : package.files) widest = std::max(widest, file.name.size());
  text += fmt::format("\n{:>14} {:>14}  {:<16}  {:<{}}  {}\n", "offset", "bytes", "role", "file",
                      widest, "hash");
  for (const PackagePlace& place : places) {
    const PackageFile& file = *place.file;
    text += fmt::format("{:>14} {:>14}  {:<16}  {:<{}}  {}\n", Grouped(place.offset),
                        Grouped(file.bytes->size()), kPackageRoles[static_cast<size_t>(file.role)],
                        file.name, widest, HashToString(file.hash));
  }
  return text;
}

int List(const PackageCommand& command, const Package& package) {
  if (!command.json) return WriteOutput("-", EscapeControlsOfLines(ListText(package))) ? 0 : 1;
  std::vector<std::string> inputs = {command.path};
  for (const PackageFile& file : package.files) inputs.push_back(file.bytes->path());
  const OptionalPath outputs[] = {command.json};
  const bool is_written = CheckOutputs(inputs, outputs, command.style) &&
                          WriteOutput(*command.json, ManifestOf(package));
  return is_written ? 0 : 1;
}

/// Files are only written to a folder that has no others: so links in it lead nowhere.
int Extract(const PackageCommand& command, const Package& package) {
  std::error_code error;
  const std::filesystem::path folder = command.output;
  const auto kind = std::filesystem::symlink_status(folder, error).type();
  const bool is_new = kind == std::filesystem::file_type::not_found;
  if (!is_new && (!std::filesystem::is_directory(folder, error) ||
                  !std::filesystem::is_empty(folder, error))) {
    return Fail(fmt::format("expected a new or an empty folder, found `{}`", command.output));
  }
  std::string path = command.output;
  if (!path.ends_with('/')) path += '/';
  const absl::Status written = WritePackage(package, path, {command.path});
  return written.ok() ? 0 : Fail(std::string(written.message()));
}

uint64_t BytesOfAll(const Package& package) {
  uint64_t bytes = 0;
  for (const PackageFile& file : package.files) bytes += file.bytes->size();
  return bytes;
}

}  // namespace

bool IsPackagePath(const std::string& path) {
  if (IsPackageFolder(path)) return true;
  // Pipes are not packages: what is read here could not be read again.
  if (path == "-") return false;
  const absl::StatusOr<std::shared_ptr<const FileBytes>> file =
      ReadFile(path, {.regular_only = true});
  return file.ok() && IsPackage((*file)->view());
}

int WithPackage(const ModuleInput& input, bool needs_machine,
                const std::function<int(const Package&, const IRModule&, Diagnostics&)>& body) {
  Context context;
  Diagnostics diagnostics;
  int code = 1;
  const std::optional<Package> package = ReadPackage(input.path, context.sources(), diagnostics);
  if (package && (!needs_machine || CheckMachine(*package, input.path, diagnostics))) {
    const std::optional<IRModule> module =
        ReadPackageModule(*package, input.path, context, diagnostics);
    if (module) code = body(*package, *module, diagnostics);
  }
  ShowDiagnostics(context.sources(), diagnostics, input.style);
  return diagnostics.has_errors() ? 1 : code;
}

int RunPackageCommand(const PackageCommand& command) {
  const ClosingLine closing(command.style);
  Context context;
  SourceManager& sources = context.sources();
  Diagnostics diagnostics;
  const std::optional<Package> package =
      ReadPackage(command.path, sources, diagnostics,
                  command.action == "list" ? PackageCheck::kManifest : PackageCheck::kAll);
  int code = package ? 0 : 1;
  std::string summary;
  if (package && command.action == "list") return List(command, *package);
  if (package && command.action == "verify") {
    if (!command.bytes_only && !CheckMachine(*package, command.path, diagnostics)) code = 1;
    if (!ReadPackageModule(*package, command.path, context, diagnostics)) code = 1;
    summary = fmt::format("{} bytes in {} files as they were written{}",
                          Grouped(BytesOfAll(*package)), package->files.size(),
                          command.bytes_only ? "" : ", and this machine can run them");
  }
  if (package && command.action == "extract") {
    code = Extract(command, *package);
    summary = fmt::format("{} files in {}", package->files.size() + 2, command.output);
  }
  ShowDiagnostics(sources, diagnostics, command.style);
  if (code == 0) closing.Show(summary);
  return code;
}

}  // namespace tenon
