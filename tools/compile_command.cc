#include "tools/compile_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "compile/board_fit.h"
#include "compile/known_boards.h"
#include "support/file.h"
#include "support/shell_word.h"
#include "support/shown_text.h"
#include "support/status_macros.h"
#include "tools/board_options.h"
#include "tools/dump_options.h"
#include "tools/progress.h"
#include "tools/read_model.h"
#include "tools/version.h"
#include "tools/write_update.h"

namespace tenon {

namespace {

/// The report files that the command asks for. They borrow from `json` and `html`.
std::vector<FolderFile> ReportFiles(const CompileCommand& command, const Artifacts& artifacts,
                                    std::string& json, std::string& html) {
  std::vector<FolderFile> files;
  const auto add = [&](const std::string& path, const std::string& text) {
    files.push_back({path.empty() ? "-" : path, text});
  };
  if (command.report.json) add(*command.report.json, json = ReportJson(*artifacts.report));
  if (command.report.html) add(*command.report.html, html = ReportHtml(*artifacts.report));
  return files;
}

/// The path of the header: the given one, or next to its code, so that no code lacks its header:
/// `model.h` of `model.o`.
std::optional<std::string> HeaderPath(const CompileCommand& command, const OutputKind& kind) {
  if (command.header || !kind.has_header) return command.header;
  std::error_code ignored;
  if (command.output == "-" ||
      std::filesystem::is_other(std::filesystem::status(command.output, ignored)))
    return std::nullopt;
  return std::filesystem::path(command.output).replace_extension(".h").string();
}

/// A header without --header replaces only a header of a model: one with the same guard, or with
/// the guard of another model.
absl::Status CheckHeader(const CompileCommand& command, const std::string& path,
                         std::string_view text) {
  if (command.header) return absl::OkStatus();
  const absl::StatusOr<std::shared_ptr<const FileBytes>> old = ReadFile(path);
  if (!old.ok() || (*old)->size() == 0 || (*old)->view().starts_with("#ifndef TVMGEN_") ||
      (*old)->view().starts_with(text.substr(0, text.find('\n'))))
    return absl::OkStatus();
  return absl::AlreadyExistsError(
      fmt::format("the header would replace `{}`, which Tenon did not write; choose another name "
                  "with --header=FILE",
                  path));
}

/// The path of an artifact of a back end that emits one file; nullopt for one that is not written.
absl::StatusOr<std::optional<std::string>> PathOf(const CompileCommand& command,
                                                  const OutputKind& kind,
                                                  const Artifact& artifact) {
  const std::filesystem::path output = command.output;
  switch (artifact.role) {
    case Artifact::Role::kCode:
      return command.output;
    case Artifact::Role::kHeader: {
      std::optional<std::string> path = HeaderPath(command, kind);
      if (path) TENON_TRY(CheckHeader(command, *path, artifact.file.text));
      return path;
    }
    case Artifact::Role::kConstants:
      // `model.o` has its constants in `model.constants.o`.
      if (command.output == "-")
        return absl::InvalidArgumentError(
            "large constants go to an object next to the output; write to a file with -o");
      return std::filesystem::path(output).replace_extension(".constants.o").string();
    default:
      return (output.parent_path() / artifact.file.name).string();
  }
}

/// `3 files`.
std::string CountText(size_t count) {
  return fmt::format("{} file{}", count, count == 1 ? "" : "s");
}

/// Writes one file and the files next to it, all or nothing. Returns what was written, as text.
absl::StatusOr<std::string> WriteFiles(const CompileCommand& command, const OutputKind& kind,
                                       std::span<const std::string> inputs, Artifacts& artifacts) {
  std::vector<FolderFile> files;
  bool has_header = false;
  for (const Artifact& artifact : artifacts.files) {
    TENON_ASSIGN_OR(const std::optional<std::string> path, PathOf(command, kind, artifact));
    if (!path) continue;
    has_header |= artifact.role == Artifact::Role::kHeader;
    if (artifact.role == Artifact::Role::kConstants)
      artifacts.notes.insert(
          artifacts.notes.begin(),
          fmt::format("constants of {}: link {} with {}", artifacts.units[0].abi.prefix,
                      ShellWord(*path), ShellWord(command.output)));
    files.push_back({*path, artifact.file.text, artifact.file.append});
  }
  if (command.header && !has_header)
    return absl::NotFoundError("--header: the module has no entry function");
  std::string written = command.output == "-" ? "standard output" : command.output;
  if (files.size() > 1) written = fmt::format("{} with {}", CountText(files.size()), written);
  std::string json;
  std::string html;
  for (FolderFile& file : ReportFiles(command, artifacts, json, html))
    files.push_back(std::move(file));
  TENON_TRY(WriteFolder(".", {}, files, inputs));
  return written;
}

/// An error if a folder contains a file of its owner that describes it to a framework, which the
/// output would replace.
absl::Status CheckFramework(const CompileCommand& command, const Artifacts& artifacts) {
  if (!FrameworkOf(command.emit)) return absl::OkStatus();
  for (const Artifact& artifact : artifacts.files) {
    if (artifact.file.name.starts_with("src/")) continue;
    const std::filesystem::path path = std::filesystem::path(command.output) / artifact.file.name;
    std::error_code error;
    if (!std::filesystem::exists(path, error) || error) continue;
    TENON_ASSIGN_OR(const std::shared_ptr<const FileBytes> file, ReadFile(path.string()));
    if (file->view().find("Made by Tenon") == std::string_view::npos) {
      return absl::AlreadyExistsError(
          fmt::format("{} was not written by Tenon: expected a folder of its own for -o",
                      ShownText(path.string())));
    }
  }
  return absl::OkStatus();
}

/// Writes all artifacts. Returns what was written, as text: `3 files in kws_c`.
absl::StatusOr<std::string> Write(const CompileCommand& command, const OutputKind& kind,
                                  std::span<const std::string> inputs, Artifacts& artifacts) {
  const StepTimer timer(command.compile.run.report, "files");
  if (!kind.is_folder) return WriteFiles(command, kind, inputs, artifacts);
  TENON_TRY(CheckFramework(command, artifacts));
  std::string json;
  std::string html;
  TENON_TRY(WriteFolder(command.output, FolderFiles(artifacts.files),
                        ReportFiles(command, artifacts, json, html), inputs));
  return fmt::format("{} in {}", CountText(artifacts.files.size()), command.output);
}

/// Makes the package of the only module and writes it with the reports. Returns what was written,
/// as text; nullopt after an error.
std::optional<std::string> WriteAsPackage(const CompileCommand& command,
                                          const std::vector<std::string>& inputs,
                                          const Artifacts& artifacts, Diagnostics& diagnostics) {
  const Progress progress("compiling the C", command.module.style);
  const StepTimer timer(command.compile.run.report, "package");
  const std::optional<Package> package =
      MakePackage(artifacts, PackageOptionsOf(command), diagnostics);
  if (!package) return std::nullopt;
  std::string json;
  std::string html;
  const absl::Status written =
      WritePackage(*package, command.output, inputs, ReportFiles(command, artifacts, json, html));
  if (written.ok())
    return fmt::format("{} in {}", CountText(package->files.size()), command.output);
  Fail(std::string(written.message()));
  return std::nullopt;
}

/// Compiles the modules that could be read; null stands for one that could not.
std::optional<Artifacts> CompileModules(const CompileCommand& command, const Backend& backend,
                                        std::span<const IRModule* const> modules,
                                        Diagnostics& diagnostics) {
  Progress progress("compiling", command.module.style);
  CompileOptions options = command.compile;
  options.run.starting = [&](std::string_view pass) {
    progress.Say(fmt::format("compiling: {}", pass));
  };
  std::vector<CompileUnit> units;
  for (size_t i = 0; i < modules.size(); ++i) {
    if (modules[i] == nullptr) continue;
    units.push_back({modules[i], command.paths[i],
                     command.names.empty() ? ModelNameOf(command.paths[i]) : command.names[i],
                     (*command.module.origins)[i]});
  }
  if (units.empty()) return std::nullopt;
  std::optional<Artifacts> artifacts = Compile(units, options, backend, diagnostics);
  const RunOptions& run = command.compile.run;
  if (artifacts && run.report != nullptr) WarnOfUnprinted(run, *run.report, diagnostics);
  return units.size() == modules.size() ? std::move(artifacts) : std::nullopt;
}

/// The bytes of inputs and outputs that the caller owns.
int64_t IoBytesOf(const Artifacts& artifacts) {
  int64_t bytes = 0;
  for (const EmittedUnit& unit : artifacts.units) {
    for (const bool is_output : {false, true}) {
      for (const EntryField& field : unit.abi.Fields(is_output)) {
        if (!field.is_mapped) bytes += field.row_bytes > 0 ? field.row_bytes : field.size_bytes;
      }
    }
  }
  return bytes;
}

int CompileAndWrite(CompileCommand command, const Backend& backend) {
  std::vector<ModelOrigin> origins;
  command.module.origins = &origins;
  const bool packs = command.emit == kEmitPackage;
  const OutputKind* const kind = packs ? nullptr : backend.FindOutput(command.compile.output);
  if (command.output.empty())
    return Fail(fmt::format("--emit={} needs -o {}", command.emit,
                            packs             ? "FILE or FOLDER/"
                            : command.update  ? "FILE"
                            : kind->is_folder ? "FOLDER"
                                              : "FILE"));
  if (packs && command.paths.size() > 1)
    return Fail(fmt::format("a package has one module, found {}", command.paths.size()));
  if (!command.names.empty() && command.names.size() != command.paths.size())
    return Fail(fmt::format("{} names for {} modules; give --module-name once for each",
                            command.names.size(), command.paths.size()));
  const ClosingLine closing(command.module.style);
  std::string summary;
  std::string fit;
  const int code = WithModules(
      command.module, command.paths,
      [&](std::span<const IRModule* const> modules, Diagnostics& diagnostics) {
        std::optional<Artifacts> artifacts = CompileModules(command, backend, modules, diagnostics);
        if (!artifacts || !SettleFiles(command, *artifacts, diagnostics)) return 1;
        const MemoryFigures figures = ProgramFigures(command, *artifacts);
        const Board* const board = command.update ? nullptr : command.compile.board.get();
        if (board != nullptr && !CheckFit(*board, figures, artifacts->code_bytes, diagnostics))
          return 1;
        std::optional<std::string> written;
        if (command.update) {
          written = WriteUpdate(command, InputFilesOf(modules), *artifacts, diagnostics);
          if (!written) return 1;
        } else if (packs) {
          written = WriteAsPackage(command, InputFilesOf(modules), *artifacts, diagnostics);
          if (!written) return 1;
        } else {
          absl::StatusOr<std::string> files =
              Write(command, *kind, InputFilesOf(modules), *artifacts);
          if (!files.ok()) return Fail(std::string(files.status().message()));
          written = *std::move(files);
        }
        for (const ByocReport& report : artifacts->byoc) {
          if (!ShowByocReport(report, command.byoc_report, command.module.style)) return 1;
        }
        // In a package everything is linked.
        for (const std::string& note : artifacts->notes) {
          if (!packs && !command.update) ShowNote(note, command.module.style);
        }
        if (command.print_merged)
          fmt::print("{}", EscapeControlsOfLines(SharedConstantsText(*artifacts)));
        if (board != nullptr) fit = FitText(*board, figures, artifacts->code_bytes);
        summary = fmt::format("{}, {}", FiguresText(figures, /*advises=*/true), *written);
        return 0;
      });
  if (code == 0) closing.Show(summary);
  if (code == 0 && !fit.empty()) ShowLine(fit, command.module.style);
  return code;
}

/// The bytes of all files of constants, which are in flash with their headers; 0 without one.
int64_t ConstantsFileBytes(const Artifacts& artifacts) {
  int64_t bytes = 0;
  for (const Artifact& artifact : artifacts.files) {
    if (!artifact.file.name.ends_with("_constants.safetensors")) continue;
    bytes += static_cast<int64_t>(artifact.file.text.size());
    if (!artifact.file.append) continue;
    const absl::Status counted = artifact.file.append([&](std::string_view part) {
      bytes += static_cast<int64_t>(part.size());
      return absl::OkStatus();
    });
    if (!counted.ok()) return 0;
  }
  return bytes;
}

/// False, with an error, if the folder of an output does not exist. Without the check, the error
/// would come after compiling.
bool HaveFolders(std::span<const OptionalPath> outputs) {
  for (const OptionalPath& path : outputs) {
    if (!path || *path == "-") continue;
    const std::filesystem::path folder = std::filesystem::path(*path).parent_path();
    std::error_code error;
    if (folder.empty() || std::filesystem::exists(folder, error) || error) continue;
    Fail(fmt::format("the folder `{}` of the output `{}` does not exist",
                     ShownText(folder.string()), ShownText(*path)));
    return false;
  }
  return true;
}

}  // namespace

void SettleEmit(CompileCommand& command) {
  command.compile.output = command.emit;
  if (command.emit == kEmitPackage)
    command.compile = PackageCompileOptions(std::move(command.compile));
  if (FrameworkOf(command.emit))
    command.compile = FrameworkCompileOptions(std::move(command.compile));
}

MemoryFigures ProgramFigures(const CompileCommand& command, const Artifacts& artifacts) {
  MemoryFigures figures = FiguresOf(artifacts.planned, command.compile.share_workspace);
  figures.io_bytes = IoBytesOf(artifacts);
  if (command.compile.board == nullptr) return figures;
  const int64_t file_bytes = ConstantsFileBytes(artifacts);
  if (file_bytes > 0) figures.constant_bytes = file_bytes;
  return figures;
}

bool SettleFiles(const CompileCommand& command, Artifacts& artifacts, Diagnostics& diagnostics) {
  const std::optional<Framework> framework = FrameworkOf(command.emit);
  if (!framework) return true;
  absl::StatusOr<std::vector<Artifact>> files = FrameworkFiles(
      *framework, artifacts,
      {std::string(Version()), command.compile.program,
       command.compile.share_workspace ? command.compile.shared_name : std::string()});
  if (files.ok()) {
    artifacts.files = *std::move(files);
    return true;
  }
  diagnostics.Error(
      DiagnosticKind::kArguments, {},
      fmt::format("--emit={}: {}", command.emit, std::string(files.status().message())));
  return false;
}

PackageOptions PackageOptionsOf(const CompileCommand& command) {
  return {std::string(Version()), command.compile.linker, command.cflags};
}

int RunCompile(CompileCommand command, const Backend& backend) {
  // Files that modules name are checked when they are known, before anything is written.
  std::vector<std::string> inputs = command.paths;
  AddPoolPaths(command.compile, inputs);
  const bool packs = command.emit == kEmitPackage;
  SettleEmit(command);
  if (command.update) inputs.push_back(command.update_of);
  const bool is_folder =
      packs ? command.output.ends_with('/')
            : !command.update && backend.FindOutput(command.compile.output)->is_folder;
  const OptionalPath output =
      is_folder || command.output.empty() ? std::nullopt : OptionalPath(command.output);
  const OptionalPath outputs[] = {output, command.header, command.report.json, command.report.html};
  if (!CheckOutputs(inputs, outputs, command.module.style)) return 1;
  if (!is_folder && !HaveFolders(outputs)) return 1;
  command.compile.wants_report = command.report.json || command.report.html;
  RunReport report;
  RunOptions& run = command.compile.run;
  if (command.timing) command.module.report = &report;
  if (command.timing || !run.print_before.empty() || !run.print_after.empty()) run.report = &report;
  const int code = CompileAndWrite(command, backend);
  if (command.timing) fmt::print(stderr, "{}", TimingTable(report));
  return code;
}

int PrintOnly(const CompileCommand& command, const Backend& backend) {
  if (!command.print_board.empty()) return PrintBoard(command.print_board);
  if (command.list_boards) return WriteOutput("-", ListBoards()) ? 0 : 1;
  const absl::StatusOr<TargetFacts> facts = backend.facts(command.compile.target);
  if (!facts.ok()) return Fail(std::string(facts.status().message()));
  fmt::print("{}", MachineText(facts->machine));
  return 0;
}

}  // namespace tenon
