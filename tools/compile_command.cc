#include "tools/compile_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/report.h"
#include "report/why.h"
#include "support/file.h"
#include "tools/progress.h"

namespace tenon {

namespace {

bool WriteReports(const MemoryReport& report, const ReportExtras& extras,
                  const ReportOutputs& outputs) {
  if (outputs.json && !WriteOutput(*outputs.json, ReportJson(report, extras))) return false;
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
      if (!report || !WriteReports(*report, {}, command.report)) return 1;
    }
    std::vector<FolderFile> files;
    for (const EmittedFile& file : compiled->c.files) files.push_back({file.name, file.text});
    const absl::Status written = WriteFolder(command.output, files);
    return written.ok() ? 0 : Fail(std::string(written.message()));
  });
}

namespace {

/// The explanations that are asked for; nullopt when the pool that is named has no peak.
std::optional<std::vector<PeakWhy>> Explain(const MemoryReport& report, const std::string& name) {
  std::vector<PeakWhy> all;
  std::vector<std::string> names;
  for (const ReportPool& pool : report.pools) {
    if (!pool.peak) continue;
    names.push_back(pool.name);
    if (name.empty() || pool.name == name) all.push_back(ExplainPeak(report, pool));
  }
  if (!all.empty() || name.empty()) return all;
  Fail(fmt::format("no pool `{}` has a peak; those that have: {}", name,
                   names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  return std::nullopt;
}

std::string TextOf(const MemoryReport& report, const ReportExtras& extras) {
  std::string text;
  for (const PeakWhy& why : extras.why) {
    const auto pool = std::find_if(report.pools.begin(), report.pools.end(),
                                   [&](const ReportPool& p) { return p.name == why.pool; });
    if (!text.empty()) text += '\n';
    text += WhyText(report, *pool, why);
  }
  return text.empty() ? "nothing is live in any workspace pool\n" : text;
}

}  // namespace

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
    ReportExtras extras;
    if (command.why) {
      auto why = Explain(*report, *command.why);
      if (!why) return 1;
      extras.why = *std::move(why);
    }
    if (command.report.json || command.report.html)
      return WriteReports(*report, extras, command.report) ? 0 : 1;
    return WriteOutput("-", command.why ? TextOf(*report, extras) : ReportText(*report)) ? 0 : 1;
  });
}

}  // namespace tenon
