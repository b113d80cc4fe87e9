#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "compile/link_params.h"
#include "compile/share_workspace.h"
#include "lowering/image/elf_target.h"
#include "lowering/image/emit_image.h"
#include "report/merge.h"
#include "support/file.h"
#include "support/programs.h"
#include "support/status_macros.h"
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

/// `model.o` has its constants in `model.constants.o`.
std::string ConstantsPath(const std::string& output) {
  return std::filesystem::path(output).replace_extension(".constants.o").string();
}

bool AnyModel(const Made& made, bool EmittedC::*uses) {
  return std::any_of(made.models.begin(), made.models.end(),
                     [&](const Model& model) { return model.sharing.c.*uses; });
}

bool IsElf(const CompileOptions& options) {
  return ParseElfTarget(options.target, options.target_abi).ok();
}

/// Links a shared object in a folder that goes again, with what else it is made of; its bytes. What
/// the compiler complains of goes where our complaints go.
absl::StatusOr<std::shared_ptr<const FileBytes>> LinkShared(const CompileCommand& command,
                                                            const Made& made) {
  TENON_ASSIGN_OR(const TemporaryFolder folder, TemporaryFolder::Create());
  std::vector<EmittedFile> files = {{"model.o", made.code}};
  if (made.constants)
    files.push_back({"constants.o", made.constants->text, made.constants->append});
  std::vector<std::string> words = {command.cc, "-shared", "-o", folder.File("model.so")};
  std::vector<std::string> libraries = {"-lm"};
  if (AnyModel(made, &EmittedC::uses_zstd)) libraries.emplace_back("-lzstd");
  if (AnyModel(made, &EmittedC::uses_pool)) {
    for (EmittedFile& file : ParallelPoolFiles()) files.push_back(std::move(file));
    words.insert(words.end(), {"-O2", "-fPIC", "-pthread"});
    // Its threads still run when a program has closed the library.
    if (IsElf(command.compile)) libraries.emplace_back("-Wl,-z,nodelete");
  }
  for (const EmittedFile& file : files) {
    if (!file.name.ends_with(".h")) words.push_back(folder.File(file.name));
  }
  words.insert(words.end(), libraries.begin(), libraries.end());
  TENON_TRY(WriteFolder(folder.path(), FolderFiles(files)));
  TENON_ASSIGN_OR(const int code, RunProgram(words));
  if (code != 0)
    return absl::FailedPreconditionError(
        fmt::format("`{}` could not link the shared object", command.cc));
  return ReadFile(folder.File("model.so"));
}

/// Where constants are, as the options say it; false after an error.
bool LimitOf(const CompileCommand& command, int64_t& limit) {
  const CompileOptions& options = command.compile;
  switch (options.constant_storage) {
    case ConstantStorage::kAuto:
      // Objects of constants are ELF.
      if (!IsElf(options)) limit = INT64_MAX;
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

/// What has to be known of code that does not have everything that it calls.
void NoteLinking(const CompileCommand& command, const Made& made) {
  if (made.constants)
    fmt::print(stderr, "tenon: note: constants of {}: link {} with {}\n", made.prefix(),
               ConstantsPath(command.output), command.output);
  if (AnyModel(made, &EmittedC::uses_pool))
    fmt::print(stderr,
               "tenon: note: parallel loops of {}: link tenon_parallel.c of Tenon's runtime/, or a "
               "tenon_parallel_for of the program's; without, they are serial\n",
               made.prefix());
}

/// Where the header goes: as asked, or beside the code that is linked with what includes it,
/// `model.h` of `model.o`, so that there is no code without the header that belongs to it.
std::optional<std::string> HeaderPath(const CompileCommand& command, const Made& made) {
  if (command.header || made.header.empty()) return command.header;
  if (command.emit == "llvm-ir" || command.emit == "bitcode") return std::nullopt;
  std::error_code ignored;
  if (command.output == "-" ||
      std::filesystem::is_other(std::filesystem::status(command.output, ignored)))
    return std::nullopt;
  return std::filesystem::path(command.output).replace_extension(".h").string();
}

/// Headers that nobody named take the place of such headers alone: those of the same guard, or of
/// another model's.
absl::Status CheckHeader(const CompileCommand& command, const std::string& path,
                         std::string_view text) {
  if (command.header) return absl::OkStatus();
  const absl::StatusOr<std::shared_ptr<const FileBytes>> old = ReadFile(path);
  if (!old.ok() || (*old)->size() == 0 || (*old)->view().starts_with("#ifndef TVMGEN_") ||
      (*old)->view().starts_with(text.substr(0, text.find('\n'))))
    return absl::OkStatus();
  return absl::AlreadyExistsError(
      fmt::format("the header would replace `{}`, which Tenon has not made; --header=FILE gives it "
                  "another name",
                  path));
}

/// Writes all files, or none.
absl::Status WriteAll(const CompileCommand& command, Made& made,
                      std::span<const std::string> inputs) {
  const StepTimer timer(command.compile.run.report, "files");
  std::vector<FolderFile> files;
  std::string json;
  std::string html;
  const std::optional<std::string> header = HeaderPath(command, made);
  if (header) {
    if (made.header.empty())
      return absl::NotFoundError("--header: the module has no entry function");
    TENON_TRY(CheckHeader(command, *header, made.header));
    files.push_back({*header, made.header});
  }
  const std::optional<MemoryReport> report = ReportOfAll(made.models);
  if (command.report.json) files.push_back({*command.report.json, json = ReportJson(*report)});
  if (command.report.html) files.push_back({*command.report.html, html = ReportHtml(*report)});
  const std::filesystem::path folder = std::filesystem::path(command.output).parent_path();
  for (const Model& model : made.models) {
    if (!model.params) continue;
    const EmittedFile& params = *model.params;
    files.push_back({(folder / params.name).string(), params.text, params.append});
  }
  std::shared_ptr<const FileBytes> linked;
  if (command.emit == "shared") {
    TENON_ASSIGN_OR(linked, LinkShared(command, made));
    files.push_back({command.output, linked->view()});
    return WriteFolder(".", {}, files, inputs);
  }
  files.push_back({command.output, made.code});
  if (made.constants)
    files.push_back({ConstantsPath(command.output), made.constants->text, made.constants->append});
  TENON_TRY(WriteFolder(".", {}, files, inputs));
  NoteLinking(command, made);
  return absl::OkStatus();
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
    model.report =
        ReportOf(compiled->planned, WithVectorAlignment(linked->module, options), diagnostics);
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

/// What is in no pool is aligned as it is in the pools of the module that asks for most.
void AlignToVectors(const CompileOptions& compile, std::span<const IRModule* const> modules,
                    EmitLlvmOptions& emit) {
  for (const IRModule* module : modules) {
    if (module == nullptr) continue;
    const CompileOptions aligned = WithVectorAlignment(*module, compile);
    emit.workspace_alignment = std::max(emit.workspace_alignment, aligned.workspace_alignment);
    emit.constant_alignment = std::max(emit.constant_alignment, aligned.constant_alignment);
  }
}

}  // namespace

int CompileWithLlvm(const CompileCommand& command, const LlvmTools& tools) {
  if (command.output.empty()) return Fail(fmt::format("--emit={} needs -o FILE", command.emit));
  if (!command.names.empty() && command.names.size() != command.paths.size())
    return Fail(fmt::format("{} names for {} modules; give --module-name once for each",
                            command.names.size(), command.paths.size()));
  EmitLlvmOptions emit = command.llvm;
  emit.target.triple = command.compile.target;
  emit.target.abi = command.compile.target_abi;
  emit.workspace_alignment = command.compile.workspace_alignment;
  emit.constant_alignment = command.compile.constant_alignment;
  const absl::Status known = tools.check_target(emit.target);
  if (!known.ok()) return Fail(std::string(known.message()));
  if (!LimitOf(command, emit.constant_limit)) return 1;
  if (RunReport* report = command.compile.run.report) {
    emit.on_step = [report](std::string_view step, double seconds) {
      AddStep(*report, step, seconds);
    };
  }
  CompileCommand looped = command;
  looped.compile.llvm_level = emit.opt_level;
  looped.compile.big_endian = tools.is_big_endian(emit.target);
  UseVectors(tools.vector_registers(emit.target), looped.compile);
  return WithModules(command.module, command.paths,
                     [&](std::span<const IRModule* const> modules, Diagnostics& diagnostics) {
                       Made made;
                       AlignToVectors(looped.compile, modules, emit);
                       if (!Make(looped, tools, emit, modules, made, diagnostics)) return 1;
                       const absl::Status written = WriteAll(command, made, InputFilesOf(modules));
                       return written.ok() ? 0 : Fail(std::string(written.message()));
                     });
}

}  // namespace tenon
