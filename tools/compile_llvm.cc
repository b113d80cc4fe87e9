#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "driver/link_params.h"
#include "lowering/image/elf_target.h"
#include "lowering/image/emit_image.h"
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

/// What one module became.
struct Made {
  CompiledForLlvm compiled;
  std::string code;
  /// The object of those constants that are not in the code.
  std::optional<EmittedFile> constants;
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
  if (made.compiled.interface.uses_zstd) libraries.push_back("-lzstd");
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
      EmitImage(made.compiled.interface.prefix, std::move(blobs),
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

bool WriteAll(const CompileCommand& command, const Made& made, Diagnostics& diagnostics) {
  const CompiledForLlvm& compiled = made.compiled;
  std::optional<MemoryReport> report;
  if (command.report.json || command.report.html) {
    report = ReportOf(compiled.planned, command.compile, diagnostics);
    if (!report) return false;
  }
  if (command.header) {
    if (compiled.interface.files.empty()) {
      Fail("--header: the module has no entry function");
      return false;
    }
    if (!WriteOutput(*command.header, compiled.interface.files[0].text)) return false;
  }
  if (command.report.json && !WriteOutput(*command.report.json, ReportJson(*report))) return false;
  if (command.report.html && !WriteOutput(*command.report.html, ReportHtml(*report))) return false;
  if (command.emit == "shared") return WriteShared(command, made);
  if (made.constants) {
    const std::string path = ConstantsPath(command.output);
    if (!WriteEmitted(path, *made.constants)) return false;
    fmt::print(stderr, "tenon: note: constants of {}: link {} with {}\n", compiled.interface.prefix,
               path, command.output);
  }
  return WriteOutput(command.output, made.code);
}

}  // namespace

int CompileWithLlvm(const CompileCommand& command, const LlvmTools& tools) {
  if (command.output.empty()) return Fail(fmt::format("--emit={} needs -o FILE", command.emit));
  if (command.paths.size() > 1)
    return Fail(fmt::format("--emit={} makes one file of one module", command.emit));
  if (command.names.size() > 1) return Fail("one module has one --module-name");
  EmitLlvmOptions emit = command.llvm;
  emit.target.triple = command.compile.target;
  const absl::Status known = tools.check_target(emit.target);
  if (!known.ok()) return Fail(std::string(known.message()));
  if (!LimitOf(command, emit.constant_limit)) return 1;
  ModuleInput input = command.module;
  input.path = command.paths[0];
  CompileOptions options = command.compile;
  if (!command.names.empty()) options.module_name = command.names[0];
  return WithModule(input, [&](const IRModule& module, Diagnostics& diagnostics) {
    std::optional<Made> made;
    {
      const Progress progress("compiling");
      const std::optional<LinkedModule> linked = LinkModule(module, options, diagnostics);
      std::optional<CompiledForLlvm> compiled;
      if (linked) compiled = CompileForLlvm(linked->module, options, diagnostics);
      if (!compiled) return 1;
      emit.prefix = compiled->interface.prefix;
      emit.workspace_alignment = options.workspace_alignment;
      emit.constant_alignment = options.constant_alignment;
      std::optional<EmittedLlvm> code =
          tools.emit(compiled->lowered, emit, OutputOf(command.emit), diagnostics);
      if (!code) return 1;
      made = Made{*std::move(compiled), std::move(code->code), {}};
      if (!MakeConstants(command, std::move(code->blobs), *made, diagnostics)) return 1;
    }
    return WriteAll(command, *made, diagnostics) ? 0 : 1;
  });
}

}  // namespace tenon
