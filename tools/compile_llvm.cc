#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "driver/link_params.h"
#include "driver/share_workspace.h"
#include "lowering/image/elf_target.h"
#include "lowering/image/emit_image.h"
#include "report/merge.h"
#include "support/file.h"
#include "tools/compile_command.h"
#include "tools/progress.h"

namespace tenon {

namespace {

LlvmOutput OutputOf(std::string_view emit) {
  return emit == "llvm-ir"   ? LlvmOutput::kIr
         : emit == "bitcode" ? LlvmOutput::kBitcode
         : emit == "asm"     ? LlvmOutput::kAssembly
                             : LlvmOutput::kObject;
}

/// Runs `cc -shared`; its complaints go where ours go.
bool Link(const std::string& cc, const std::vector<std::string>& objects,
          const std::vector<std::string>& libraries, const std::string& output) {
  std::vector<std::string> words = {cc, "-shared", "-o", output};
  words.insert(words.end(), objects.begin(), objects.end());
  words.insert(words.end(), libraries.begin(), libraries.end());
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, argv[0], nullptr, nullptr, const_cast<char**>(argv.data()), environ);
  if (failed != 0) {
    Fail(fmt::format("cannot run `{}`: {}", cc, std::strerror(failed)));
    return false;
  }
  int state = 0;
  while (waitpid(child, &state, 0) < 0) {
    if (errno != EINTR) return false;
  }
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return true;
  Fail(fmt::format("`{}` could not link the shared object", cc));
  return false;
}

/// What one of the modules became.
struct Model {
  /// Its source and interface.
  SharingModel sharing;
  IRModule lowered;
  std::optional<MemoryReport> report;
  /// The file of the values that are inputs now.
  std::optional<EmittedFile> params;
};

/// What all of them became.
struct Made {
  std::vector<Model> models;
  std::string code;
  /// The object of those constants that are not in the code.
  std::optional<EmittedFile> constants;
  std::string header;

  const std::string& prefix() const { return models[0].sharing.c.prefix; }
};

bool WriteEmitted(const std::string& path, const EmittedFile& file) {
  absl::StatusOr<OutputFile> output = OutputFile::Create(path);
  absl::Status status = output.ok() ? output->Append(file.text) : output.status();
  if (status.ok() && file.append) status = file.append(*output);
  if (status.ok()) status = output->Commit();
  return status.ok() || Fail(std::string(status.message())) == 0;
}

/// `model.o` has its constants in `model.constants.o`.
std::string ConstantsPath(const std::string& output) {
  return std::filesystem::path(output).replace_extension(".constants.o").string();
}

/// Links objects to a shared one at `output`, by way of a folder that goes again.
bool WriteShared(const CompileCommand& command, const Made& made) {
  std::error_code error;
  std::string folder = (std::filesystem::temp_directory_path(error) / "tenon-XXXXXX").string();
  if (error || mkdtemp(folder.data()) == nullptr) {
    Fail(fmt::format("cannot make a temporary folder: {}", std::strerror(errno)));
    return false;
  }
  std::vector<std::string> objects = {folder + "/model.o"};
  const std::string linked = folder + "/model.so";
  bool ok = WriteOutput(objects[0], made.code);
  if (ok && made.constants) {
    objects.push_back(folder + "/constants.o");
    ok = WriteEmitted(objects[1], *made.constants);
  }
  std::vector<std::string> libraries = {"-lm"};
  if (std::any_of(made.models.begin(), made.models.end(),
                  [](const Model& model) { return model.sharing.c.uses_zstd; }))
    libraries.push_back("-lzstd");
  ok = ok && Link(command.cc, objects, libraries, linked);
  if (ok) {
    const absl::StatusOr<std::shared_ptr<const FileBytes>> bytes = ReadFile(linked);
    ok = bytes.ok() && WriteOutput(command.output, (*bytes)->view());
    if (!bytes.ok()) Fail(std::string(bytes.status().message()));
  }
  std::filesystem::remove_all(folder, error);
  return ok;
}

/// Where constants are, as the options say it; false after an error.
bool LimitOf(const CompileCommand& command, int64_t& limit) {
  const CompileOptions& options = command.compile;
  switch (options.constant_storage) {
    case ConstantStorage::kAuto:
      // Objects of constants are ELF.
      if (!ParseElfTarget(options.target, options.target_abi).ok()) limit = INT64_MAX;
      return true;
    case ConstantStorage::kCArray:
      limit = INT64_MAX;
      return true;
    case ConstantStorage::kObject:
      limit = -1;
      return true;
    default:
      Fail(fmt::format(
          "--constant-storage={} is for --emit=c; what LLVM makes has constants inside (c-array) "
          "or in an object beside it (object)",
          ConstantStorageNames()[static_cast<size_t>(options.constant_storage)]));
      return false;
  }
}

/// The object of the constants that LLVM has not seen; false after an error.
bool MakeConstants(const CompileCommand& command, std::vector<Blob> blobs, Made& made,
                   Diagnostics& diagnostics) {
  if (blobs.empty()) return true;
  if (command.output == "-") {
    Fail("large constants go to an object beside the output, which has to be a file");
    return false;
  }
  absl::StatusOr<EmittedImage> image =
      EmitImage(made.prefix(), std::move(blobs),
                {ConstantStorage::kObject, command.compile.target, command.compile.target_abi});
  if (!image.ok()) {
    diagnostics.Error(DiagnosticKind::kUnsupported, {}, std::string(image.status().message()));
    return false;
  }
  for (EmittedFile& file : image->files) {
    if (file.name.ends_with(".o")) made.constants = std::move(file);
  }
  return true;
}

std::optional<MemoryReport> ReportOfAll(std::vector<Model>& models) {
  if (models.size() == 1) return std::move(models[0].report);
  constexpr std::string_view kPrefix = "tvmgen_";
  std::vector<NamedReport> reports;
  for (Model& model : models) {
    std::string name = model.sharing.c.prefix;
    if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
    if (model.report) reports.push_back({std::move(name), *std::move(model.report)});
  }
  return MergeReports(std::move(reports));
}

bool WriteAll(const CompileCommand& command, Made& made) {
  if (command.header) {
    if (made.header.empty()) {
      Fail("--header: the module has no entry function");
      return false;
    }
    if (!WriteOutput(*command.header, made.header)) return false;
  }
  if (command.report.json || command.report.html) {
    const std::optional<MemoryReport> report = ReportOfAll(made.models);
    if (command.report.json && !WriteOutput(*command.report.json, ReportJson(*report)))
      return false;
    if (command.report.html && !WriteOutput(*command.report.html, ReportHtml(*report)))
      return false;
  }
  const std::filesystem::path folder = std::filesystem::path(command.output).parent_path();
  for (const Model& model : made.models) {
    if (model.params && !WriteEmitted((folder / model.params->name).string(), *model.params))
      return false;
  }
  if (command.emit == "shared") return WriteShared(command, made);
  if (made.constants) {
    const std::string path = ConstantsPath(command.output);
    if (!WriteEmitted(path, *made.constants)) return false;
    fmt::print(stderr, "tenon: note: constants of {}: link {} with {}\n", made.prefix(), path,
               command.output);
  }
  return WriteOutput(command.output, made.code);
}

/// Compiles one of the modules as far as its own code goes; nullopt after an error.
std::optional<Model> CompileModel(const CompileCommand& command, size_t index,
                                  const IRModule& module, Diagnostics& diagnostics) {
  CompileOptions options = command.compile;
  if (!command.names.empty()) options.module_name = command.names[index];
  const std::optional<LinkedModule> linked = LinkModule(module, options, diagnostics);
  if (!linked) return std::nullopt;
  std::optional<CompiledForLlvm> compiled = CompileForLlvm(linked->module, options, diagnostics);
  if (!compiled) return std::nullopt;
  Model model{{command.paths[index], std::move(compiled->interface)}, compiled->lowered, {}, {}};
  if (command.report.json || command.report.html) {
    model.report = ReportOf(compiled->planned, options, diagnostics);
    if (!model.report) return std::nullopt;
  }
  if (linked->params.empty()) return model;
  absl::StatusOr<EmittedFile> params = ParamsFile(model.sharing.c.prefix, *linked);
  if (!params.ok()) {
    Fail(std::string(params.status().message()));
    return std::nullopt;
  }
  model.params = *std::move(params);
  return model;
}

/// The header of all models, and the memory that they share; false after an error.
bool Join(const CompileCommand& command, Made& made, LlvmProgram& program) {
  std::vector<SharingModel> sharing;
  for (const Model& model : made.models) {
    if (command.compile.share_workspace && !model.sharing.c.has_run) {
      Fail(fmt::format("{} has no entry function, so no workspace to share", model.sharing.source));
      return false;
    }
    sharing.push_back(model.sharing);
    program.units.push_back({&model.lowered, model.sharing.c.prefix});
  }
  if (made.models.size() == 1 && !command.compile.share_workspace) {
    for (const EmittedFile& file : sharing[0].c.files) made.header += file.text;
    return true;
  }
  const auto files = ShareWorkspace(sharing, command.shared_name);
  if (!files.ok()) {
    Fail(std::string(files.status().message()));
    return false;
  }
  const std::string shared = EmittedPrefix(command.shared_name) + ".h";
  for (const EmittedFile& file : *files) {
    if (file.name.ends_with(".h") && (command.compile.share_workspace || file.name != shared))
      made.header += file.text;
  }
  if (!command.compile.share_workspace) return true;
  const auto arenas = SharedArenas(sharing, command.shared_name);
  if (!arenas.ok()) return false;
  for (const SharedArena& arena : *arenas)
    program.arenas.push_back({arena.name, arena.bytes, arena.alignment, arena.section});
  return true;
}

/// Everything but the files; false after an error.
bool Make(const CompileCommand& command, const LlvmTools& tools, const EmitLlvmOptions& emit,
          std::span<const IRModule* const> modules, Made& made, Diagnostics& diagnostics) {
  const Progress progress("compiling");
  bool ok = true;
  for (size_t i = 0; i < modules.size(); ++i) {
    std::optional<Model> model;
    if (modules[i] != nullptr) model = CompileModel(command, i, *modules[i], diagnostics);
    ok &= model.has_value();
    if (model) made.models.push_back(*std::move(model));
  }
  LlvmProgram program;
  if (!ok || !Join(command, made, program)) return false;
  std::optional<EmittedLlvm> code = tools.emit(program, emit, OutputOf(command.emit), diagnostics);
  if (!code) return false;
  made.code = std::move(code->code);
  return MakeConstants(command, std::move(code->blobs), made, diagnostics);
}

}  // namespace

int CompileWithLlvm(const CompileCommand& command, const LlvmTools& tools) {
  if (command.output.empty()) return Fail(fmt::format("--emit={} needs -o FILE", command.emit));
  if (!command.names.empty() && command.names.size() != command.paths.size())
    return Fail(fmt::format("{} names for {} modules; give --module-name once for each",
                            command.names.size(), command.paths.size()));
  EmitLlvmOptions emit = command.llvm;
  emit.target.triple = command.compile.target;
  emit.workspace_alignment = command.compile.workspace_alignment;
  emit.constant_alignment = command.compile.constant_alignment;
  const absl::Status known = tools.check_target(emit.target);
  if (!known.ok()) return Fail(std::string(known.message()));
  if (!LimitOf(command, emit.constant_limit)) return 1;
  CompileCommand looped = command;
  looped.compile.llvm_level = emit.opt_level;
  looped.compile.vector_bytes = tools.vector_bytes(emit.target);
  return WithModules(command.module, command.paths,
                     [&](std::span<const IRModule* const> modules, Diagnostics& diagnostics) {
                       Made made;
                       if (!Make(looped, tools, emit, modules, made, diagnostics)) return 1;
                       return WriteAll(command, made) ? 0 : 1;
                     });
}

}  // namespace tenon
