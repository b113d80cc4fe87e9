#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "driver/link_params.h"
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
bool Link(const std::string& cc, const std::string& object, const std::string& output) {
  const char* argv[] = {cc.c_str(),     "-shared", "-o",   output.c_str(),
                        object.c_str(), "-lm",     nullptr};
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, argv[0], nullptr, nullptr, const_cast<char**>(argv), environ);
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

/// Links an object to a shared one at `output`, by way of a folder that goes again.
bool WriteShared(const CompileCommand& command, std::string_view object) {
  std::error_code error;
  std::string folder = (std::filesystem::temp_directory_path(error) / "tenon-XXXXXX").string();
  if (error || mkdtemp(folder.data()) == nullptr) {
    Fail(fmt::format("cannot make a temporary folder: {}", std::strerror(errno)));
    return false;
  }
  const std::string input = folder + "/model.o";
  const std::string linked = folder + "/model.so";
  bool ok = WriteOutput(input, object) && Link(command.cc, input, linked);
  if (ok) {
    const absl::StatusOr<std::shared_ptr<const FileBytes>> bytes = ReadFile(linked);
    ok = bytes.ok() && WriteOutput(command.output, (*bytes)->view());
    if (!bytes.ok()) Fail(std::string(bytes.status().message()));
  }
  std::filesystem::remove_all(folder, error);
  return ok;
}

bool WriteAll(const CompileCommand& command, const CompiledForLlvm& compiled, std::string_view code,
              Diagnostics& diagnostics) {
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
  return command.emit == "shared" ? WriteShared(command, code) : WriteOutput(command.output, code);
}

}  // namespace

int CompileWithLlvm(const CompileCommand& command, const LlvmTools& tools) {
  if (command.output.empty()) return Fail(fmt::format("--emit={} needs -o FILE", command.emit));
  if (command.paths.size() > 1)
    return Fail(fmt::format("--emit={} makes one file of one module", command.emit));
  if (command.names.size() > 1) return Fail("one module has one --module-name");
  if (!command.compile.link_params) return Fail("--link-params=off is for --emit=c");
  EmitLlvmOptions emit = command.llvm;
  emit.target.triple = command.compile.target;
  const absl::Status known = tools.check_target(emit.target);
  if (!known.ok()) return Fail(std::string(known.message()));
  ModuleInput input = command.module;
  input.path = command.paths[0];
  CompileOptions options = command.compile;
  if (!command.names.empty()) options.module_name = command.names[0];
  return WithModule(input, [&](const IRModule& module, Diagnostics& diagnostics) {
    std::optional<CompiledForLlvm> compiled;
    std::optional<std::string> code;
    {
      const Progress progress("compiling");
      const std::optional<LinkedModule> linked = LinkModule(module, options, diagnostics);
      if (linked) compiled = CompileForLlvm(linked->module, options, diagnostics);
      if (!compiled) return 1;
      emit.prefix = compiled->interface.prefix;
      emit.workspace_alignment = options.workspace_alignment;
      emit.constant_alignment = options.constant_alignment;
      code = tools.emit(compiled->lowered, emit, OutputOf(command.emit), diagnostics);
    }
    return code && WriteAll(command, *compiled, *code, diagnostics) ? 0 : 1;
  });
}

}  // namespace tenon
