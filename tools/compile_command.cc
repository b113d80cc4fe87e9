#include "tools/compile_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "driver/link_params.h"
#include "driver/share_workspace.h"
#include "report/merge.h"
#include "support/file.h"
#include "tools/progress.h"

namespace tenon {

namespace {

/// Writes the C and the reports that are asked for, all or none.
int WriteAll(const CompileCommand& command, const std::vector<EmittedFile>& emitted,
             const std::optional<MemoryReport>& report) {
  const std::vector<FolderFile> files = FolderFiles(emitted);
  std::vector<FolderFile> others;
  std::string json;
  std::string html;
  const auto add = [&](const std::string& path, const std::string& text) {
    others.push_back({path.empty() ? "-" : path, text});
  };
  if (command.report.json) add(*command.report.json, json = ReportJson(*report));
  if (command.report.html) add(*command.report.html, html = ReportHtml(*report));
  const absl::Status written = WriteFolder(command.output, files, others);
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
void NoteStorage(const EmittedC& c, MemoryReport& report) {
  const std::string_view name = ConstantStorageNames()[static_cast<size_t>(c.constant_storage)];
  for (const ReportBuffer& buffer : report.buffers) {
    const ReportConstant* constant = report.ConstantOf(buffer);
    if (constant == nullptr) continue;
    const std::string& where = constant->load.empty() ? buffer.pool : constant->stored_pool;
    const bool is_callers = std::any_of(
        report.pools.begin(), report.pools.end(),
        [&](const ReportPool& pool) { return pool.name == where && !pool.is_internal; });
    report.constants[static_cast<size_t>(buffer.constant)].storage = is_callers ? "caller" : name;
  }
}

/// Compiles module `index`; the exit code.
int CompileOne(const CompileCommand& command, size_t index, Compiled& result) {
  ModuleInput input = command.module;
  input.path = command.paths[index];
  CompileOptions options = command.compile;
  if (!command.names.empty()) options.module_name = command.names[index];
  return WithModule(input, [&](const IRModule& module, Diagnostics& diagnostics) {
    std::optional<LinkedModule> linked;
    std::optional<CompiledC> compiled;
    {
      const Progress progress("compiling");
      linked = LinkModule(module, options, diagnostics);
      if (linked) compiled = CompileToC(linked->module, options, diagnostics);
    }
    if (!compiled) return 1;
    if (WantsReport(command)) {
      result.report = ReportOf(compiled->planned, options, diagnostics);
      if (!result.report) return 1;
      NoteStorage(compiled->c, *result.report);
    }
    if (!compiled->constants_use.empty())
      fmt::print(stderr, "tenon: note: constants of {}: {}\n", compiled->c.prefix,
                 compiled->constants_use);
    result.c = std::move(compiled->c);
    return AddParams(*linked, result.c);
  });
}

/// Models that share their workspace.
int WriteShared(const CompileCommand& command, std::vector<Compiled> all) {
  std::vector<SharingModel> models;
  std::vector<NamedReport> reports;
  constexpr std::string_view kPrefix = "tvmgen_";
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].c.has_run)
      return Fail(
          fmt::format("{} has no entry function, so no workspace to share", command.paths[i]));
    std::string name = all[i].c.prefix;
    if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
    if (all[i].report) reports.push_back({std::move(name), *std::move(all[i].report)});
    models.push_back({command.paths[i], std::move(all[i].c)});
  }
  const absl::StatusOr<std::vector<EmittedFile>> files =
      ShareWorkspace(models, command.shared_name);
  if (!files.ok()) return Fail(std::string(files.status().message()));
  std::optional<MemoryReport> report;
  if (WantsReport(command)) report = MergeReports(std::move(reports));
  return WriteAll(command, *files, report);
}

}  // namespace

int Compile(const CompileCommand& command) {
  if (command.output.empty()) return Fail("--emit=c needs -o FOLDER");
  const bool shares = command.compile.share_workspace;
  if (command.paths.size() > 1 && !shares)
    return Fail("several modules are compiled together only with --share-workspace");
  if (!command.names.empty() && command.names.size() != command.paths.size())
    return Fail(fmt::format("{} names for {} modules; give --module-name once for each",
                            command.names.size(), command.paths.size()));
  // All of them, so that all errors are shown.
  int code = 0;
  std::vector<Compiled> all(command.paths.size());
  for (size_t i = 0; i < all.size(); ++i) {
    if (CompileOne(command, i, all[i]) != 0) code = 1;
  }
  if (code != 0) return code;
  if (shares) return WriteShared(command, std::move(all));
  return WriteAll(command, all[0].c.files, all[0].report);
}

}  // namespace tenon
