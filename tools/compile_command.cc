#include "tools/compile_command.h"

#include <fmt/format.h>

#include "report/report.h"
#include "support/file.h"
#include "tools/progress.h"

namespace tenon {

namespace {

bool WriteReports(const MemoryReport& report, const ReportOutputs& outputs) {
  if (outputs.json && !WriteOutput(*outputs.json, ReportJson(report))) return false;
  return !outputs.html || WriteOutput(*outputs.html, ReportHtml(report));
}

std::optional<MemoryReport> ReportOf(const PlannedModule& planned, const CompileOptions& options,
                                     Diagnostics& diagnostics) {
  const ReportOptions report{options.workspace_alignment, options.constant_alignment};
  return MakeReport(planned.noted, report, diagnostics);
}

}  // namespace

int Compile(const CompileCommand& command) {
  if (command.output.empty()) return Fail("--emit=c needs -o FOLDER");
  return WithModule(command.module, [&](const IRModule& module, Diagnostics& diagnostics) {
    std::optional<CompiledC> compiled;
    {
      const Progress progress("compiling");
      compiled = CompileToC(module, command.compile, diagnostics);
    }
    if (!compiled) return 1;
    if (command.report.json || command.report.html) {
      const auto report = ReportOf(compiled->planned, command.compile, diagnostics);
      if (!report || !WriteReports(*report, command.report)) return 1;
    }
    std::vector<FolderFile> files;
    for (const EmittedFile& file : compiled->c.files) files.push_back({file.name, file.text});
    const absl::Status written = WriteFolder(command.output, files);
    return written.ok() ? 0 : Fail(std::string(written.message()));
  });
}

int ShowReport(const ReportCommand& command) {
  return WithModule(command.module, [&](const IRModule& module, Diagnostics& diagnostics) {
    std::optional<PlannedModule> planned;
    {
      const Progress progress("planning");
      planned = PlanModule(module, command.compile, diagnostics);
    }
    if (!planned) return 1;
    const auto report = ReportOf(*planned, command.compile, diagnostics);
    if (!report) return 1;
    if (command.report.json || command.report.html)
      return WriteReports(*report, command.report) ? 0 : 1;
    return WriteOutput("-", ReportText(*report)) ? 0 : 1;
  });
}

}  // namespace tenon
