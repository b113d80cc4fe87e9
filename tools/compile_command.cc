#include "tools/compile_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "compile/link_params.h"
#include "compile/share_constants.h"
#include "compile/share_workspace.h"
#include "report/merge.h"
#include "support/file.h"
#include "support/shown_text.h"
#include "tools/progress.h"

namespace tenon {

namespace {

/// Writes the C and the reports that are asked for, all or none.
int WriteAll(const CompileCommand& command, const std::vector<EmittedFile>& emitted,
             const std::optional<MemoryReport>& report, std::span<const std::string> inputs) {
  const StepTimer timer(command.compile.run.report, "files");
  const std::vector<FolderFile> files = FolderFiles(emitted);
  std::vector<FolderFile> others;
  std::string json;
  std::string html;
  const auto add = [&](const std::string& path, const std::string& text) {
    others.push_back({path.empty() ? "-" : path, text});
  };
  if (command.report.json) add(*command.report.json, json = ReportJson(*report));
  if (command.report.html) add(*command.report.html, html = ReportHtml(*report));
  const absl::Status written = WriteFolder(command.output, files, others, inputs);
  return written.ok() ? 0 : Fail(std::string(written.message()));
}

bool WantsReport(const CompileCommand& command) {
  return command.report.json || command.report.html;
}

/// What one of the modules became.
struct Compiled {
  EmittedC c;
  std::optional<MemoryReport> report;
};

/// Adds what became inputs to the files of the code, which is of no use without; the exit code.
int AddParams(const LinkedModule& linked, EmittedC& c) {
  if (linked.params.empty()) return 0;
  absl::StatusOr<EmittedFile> file = ParamsFile(c.prefix, linked);
  if (!file.ok()) return Fail(std::string(file.status().message()));
  c.files.push_back(*std::move(file));
  return 0;
}

/// Says of every constant in the report how the generated code has it; what is in a pool of the
/// caller, the caller puts there.
void NoteStorage(const EmittedC& c, ConstantStorage shared, MemoryReport& report) {
  const auto name_of = [](ConstantStorage storage) {
    return ConstantStorageNames()[static_cast<size_t>(storage)];
  };
  for (const ReportBuffer& buffer : report.buffers) {
    const ReportConstant* constant = report.ConstantOf(buffer);
    if (constant == nullptr) continue;
    const std::string& where = constant->load.empty() ? buffer.pool : constant->stored_pool;
    std::string_view name = name_of(c.constant_storage);
    for (const ReportPool& pool : report.pools) {
      if (pool.name != where) continue;
      if (!pool.header.empty()) name = name_of(shared);
      if (!pool.is_internal) name = "caller";
    }
    report.constants[static_cast<size_t>(buffer.constant)].storage = name;
  }
}

void NoteUse(std::string_view prefix, std::string_view use) {
  if (!use.empty()) fmt::print(stderr, "tenon: note: constants of {}: {}\n", prefix, use);
}

/// The modules on their way to C.
class Compiler {
 public:
  Compiler(const CompileCommand& command, Diagnostics& diagnostics)
      : command_(command), diagnostics_(diagnostics) {}

  /// The exit code. All modules are compiled, so that all errors are shown.
  int Run(std::span<const IRModule* const> modules) {
    const Progress progress("compiling");
    bool ok = true;
    for (size_t i = 0; i < modules.size(); ++i) {
      if (modules[i] == nullptr || !Prepare(i, *modules[i])) ok = false;
    }
    // What modules share is known when all of them are there.
    ok = ok && Share();
    all.resize(prepared_.size());
    for (size_t i = 0; i < prepared_.size(); ++i) {
      if (!Emit(i)) ok = false;
    }
    return ok ? 0 : 1;
  }

  std::vector<Compiled> all;
  std::vector<SharedConstantPool> pools;
  EmittedSharedConstants shared;

 private:
  CompileOptions OptionsOf(size_t index) const {
    CompileOptions options = command_.compile;
    if (!command_.names.empty()) options.module_name = command_.names[index];
    return options;
  }

  bool Prepare(size_t index, const IRModule& module) {
    const CompileOptions options = OptionsOf(index);
    std::optional<LinkedModule> linked = LinkModule(module, options, diagnostics_);
    if (!linked) return false;
    std::optional<PreparedModule> prepared = PrepareModule(linked->module, options, diagnostics_);
    if (!prepared) return false;
    index_.push_back(index);
    linked_.push_back(*std::move(linked));
    prepared_.push_back(*std::move(prepared));
    return true;
  }

  bool Share() {
    if (prepared_.size() > 1 && command_.compile.constant_storage == ConstantStorage::kFile &&
        MergeLevel(command_.compile) != "off")
      fmt::print(stderr,
                 "tenon: note: each model has a file with all of its constants: they are merged "
                 "within models alone\n");
    absl::StatusOr<std::vector<SharedConstantPool>> found =
        ShareConstantsOf(prepared_, command_.compile, command_.shared_name);
    if (!found.ok()) return Fail(std::string(found.status().message())) == 0;
    pools = *std::move(found);
    absl::StatusOr<EmittedSharedConstants> emitted =
        EmitSharedConstants(pools, command_.compile, command_.shared_name);
    if (!emitted.ok()) return Fail(std::string(emitted.status().message())) == 0;
    shared = *std::move(emitted);
    return true;
  }

  bool Emit(size_t at) {
    const CompileOptions options = OptionsOf(index_[at]);
    std::optional<CompiledC> compiled = CompilePreparedToC(prepared_[at], options, diagnostics_);
    if (!compiled) return false;
    Compiled& result = all[at];
    if (WantsReport(command_)) {
      result.report = ReportOf(compiled->planned, options, diagnostics_);
      if (!result.report) return false;
      NoteStorage(compiled->c, shared.storage, *result.report);
    }
    NoteUse(compiled->c.prefix, compiled->constants_use);
    result.c = std::move(compiled->c);
    return AddParams(linked_[at], result.c) == 0;
  }

  const CompileCommand& command_;
  Diagnostics& diagnostics_;
  /// Of the modules that have come so far: which they are.
  std::vector<size_t> index_;
  std::vector<LinkedModule> linked_;
  std::vector<PreparedModule> prepared_;
};

/// A model's name without what all of them begin with.
std::string ShortName(const EmittedC& c) {
  constexpr std::string_view kPrefix = "tvmgen_";
  return c.prefix.starts_with(kPrefix) ? c.prefix.substr(kPrefix.size()) : c.prefix;
}

/// Models that share their workspace, and constants.
int WriteShared(const CompileCommand& command, Compiler& compiler,
                std::span<const std::string> inputs) {
  std::vector<SharingModel> models;
  std::vector<NamedReport> reports;
  std::vector<std::string> names;
  for (size_t i = 0; i < compiler.all.size(); ++i) {
    Compiled& model = compiler.all[i];
    if (!model.c.has_run)
      return Fail(
          fmt::format("{} has no entry function, so no workspace to share", command.paths[i]));
    names.push_back(ShortName(model.c));
    if (model.report) reports.push_back({names.back(), *std::move(model.report)});
    models.push_back({command.paths[i], std::move(model.c)});
  }
  absl::StatusOr<std::vector<EmittedFile>> files = ShareWorkspace(models, command.shared_name);
  if (!files.ok()) return Fail(std::string(files.status().message()));
  for (EmittedFile& file : compiler.shared.files) files->push_back(std::move(file));
  std::optional<MemoryReport> report;
  if (WantsReport(command)) report = MergeReports(std::move(reports));
  NoteUse(EmittedPrefix(command.shared_name), compiler.shared.use);
  const int code = WriteAll(command, *files, report, inputs);
  if (code == 0 && command.print_merged)
    fmt::print("{}", EscapeControlsOfLines(SharedConstantsText(compiler.pools, names)));
  return code;
}

}  // namespace

int CompileToFolder(const CompileCommand& command) {
  if (command.output.empty()) return Fail("--emit=c needs -o FOLDER");
  const bool shares = command.compile.share_workspace;
  if (command.paths.size() > 1 && !shares)
    return Fail("several modules are compiled together only with --share-workspace");
  if (!command.names.empty() && command.names.size() != command.paths.size())
    return Fail(fmt::format("{} names for {} modules; give --module-name once for each",
                            command.names.size(), command.paths.size()));
  const auto compile = [&](std::span<const IRModule* const> modules, Diagnostics& diagnostics) {
    Compiler compiler(command, diagnostics);
    if (const int code = compiler.Run(modules); code != 0) return code;
    const std::vector<std::string> inputs = InputFilesOf(modules);
    if (shares) return WriteShared(command, compiler, inputs);
    return WriteAll(command, compiler.all[0].c.files, compiler.all[0].report, inputs);
  };
  return WithModules(command.module, command.paths, compile);
}

int Compile(CompileCommand command, const LlvmTools* tools) {
  // Files that side files name are checked when all of them are known, before anything is written.
  std::vector<std::string> inputs = command.paths;
  if (!command.compile.pools_file.empty()) inputs.push_back(command.compile.pools_file);
  const OptionalPath output =
      command.emit == "c" || command.output.empty() ? std::nullopt : OptionalPath(command.output);
  const OptionalPath outputs[] = {output, command.header, command.report.json, command.report.html};
  if (!CheckOutputs(inputs, outputs)) return 1;
  RunReport report;
  if (command.timing) command.module.report = command.compile.run.report = &report;
  const int code =
      command.emit == "c" ? CompileToFolder(command) : CompileWithLlvm(command, *tools);
  if (command.timing) fmt::print(stderr, "{}", TimingTable(report));
  return code;
}

}  // namespace tenon
