#include "tools/report_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "passes/memory/plan_memory.h"
#include "planner/formats/plan_json.h"
#include "report/read_json.h"
#include "support/file.h"
#include "support/shown_text.h"
#include "tools/progress.h"

namespace tenon {

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

std::string WhyTexts(const MemoryReport& report, const std::vector<PeakWhy>& whys) {
  std::string text;
  for (const PeakWhy& why : whys) {
    const auto pool = std::find_if(report.pools.begin(), report.pools.end(),
                                   [&](const ReportPool& p) { return p.name == why.pool; });
    if (!text.empty()) text += '\n';
    text += WhyText(report, *pool, why);
  }
  return text.empty() ? "nothing is live in any workspace pool\n" : text;
}

/// Reads a report, and prints what is wrong with it to stderr.
std::optional<MemoryReport> ReadReport(const std::string& path) {
  // One byte more tells that a stream is too long.
  ReadFileOptions limits;
  limits.max_stream_bytes = kMostReportBytes + 1;
  const absl::StatusOr<std::shared_ptr<const FileBytes>> file = ReadFile(path, limits);
  if (!file.ok()) {
    Fail(std::string(file.status().message()));
    return std::nullopt;
  }
  SourceManager sources;
  Diagnostics diagnostics;
  std::optional<MemoryReport> report =
      ReadReportJson(sources, (*file)->path(), (*file)->view(), *file, diagnostics);
  const RenderOptions render{isatty(STDERR_FILENO) != 0};
  const std::string rendered = Render(sources, diagnostics, render);
  std::fwrite(rendered.data(), 1, rendered.size(), stderr);
  return report;
}

/// What is asked for of a report.
int Show(const MemoryReport& report, const ReportCommand& command) {
  ReportExtras extras;
  if (command.why) {
    auto why = Explain(report, *command.why);
    if (!why) return 1;
    extras.why = *std::move(why);
  }
  ReportDiff diff;
  if (command.diff) {
    std::optional<MemoryReport> before = ReadReport(*command.diff);
    if (!before) return 1;
    diff = DiffReports(*command.diff, *std::move(before), report);
    extras.diff = &diff;
  }
  if (command.report.json || command.report.html)
    return WriteReports(report, extras, command.report) ? 0 : 1;
  std::string text;
  if (command.diff) text = DiffText(diff, report);
  if (command.why) text += (text.empty() ? "" : "\n") + WhyTexts(report, extras.why);
  if (text.empty()) text = ReportText(report);
  return WriteOutput("-", EscapeControlsOfLines(text)) ? 0 : 1;
}

/// --problem: what plan-memory asked the planner.
int WriteProblem(const PlannedModule& planned, const ReportCommand& command,
                 Diagnostics& diagnostics) {
  if (planned.as_given) return Fail("--problem: the module came planned");
  PlanMemoryOptions options;
  options.algorithm = command.compile.planner;
  options.workspace_alignment = command.compile.workspace_alignment;
  options.constant_alignment = command.compile.constant_alignment;
  options.constants = command.compile.layout;
  absl::StatusOr<MemoryProblem> made = MakeMemoryProblem(planned.noted, options, diagnostics);
  if (!made.ok()) return Fail("--problem: " + std::string(made.status().message()));
  PlanFile file;
  file.problem = std::move(made->problem);
  for (const planner::Buffer& buffer : file.problem.buffers) {
    for (const int32_t group : buffer.groups) {
      while (file.groups.size() <= planner::Index(group))
        file.groups.push_back(fmt::format("group{}", file.groups.size()));
    }
  }
  return WriteOutput(*command.problem, WriteProblemJson(file)) ? 0 : 1;
}

}  // namespace

bool WriteReports(const MemoryReport& report, const ReportExtras& extras,
                  const ReportOutputs& outputs) {
  std::string json;
  std::string html;
  std::vector<FolderFile> files;
  const auto add = [&](const std::string& path, const std::string& text) {
    files.push_back({path.empty() ? "-" : path, text});
  };
  if (outputs.json) add(*outputs.json, json = ReportJson(report, extras));
  if (outputs.html) add(*outputs.html, html = ReportHtml(report, extras));
  const absl::Status written = WriteFolder(".", {}, files);
  return written.ok() || Fail(std::string(written.message())) == 0;
}

int ShowReport(const ReportCommand& command) {
  std::vector<std::string> inputs = {command.module.path};
  if (command.diff) inputs.push_back(*command.diff);
  if (!command.compile.pools_file.empty()) inputs.push_back(command.compile.pools_file);
  const OptionalPath outputs[] = {command.report.json, command.report.html, command.problem};
  if (!CheckOutputs(inputs, outputs)) return 1;
  if (command.module.path.ends_with(".json")) {
    const std::optional<MemoryReport> report = ReadReport(command.module.path);
    return report ? Show(*report, command) : 1;
  }
  return WithModule(command.module, [&](const IRModule& module, Diagnostics& diagnostics) {
    const IRModule* const modules[] = {&module};
    std::optional<PlannedModule> planned;
    if (!CheckOutputs(InputFilesOf(modules), outputs)) return 1;
    {
      const Progress progress("planning");
      const std::optional<IRModule> linked = LinkParams(module, command.compile, diagnostics);
      if (linked) planned = PlanModule(*linked, command.compile, PlanTarget(), diagnostics);
    }
    if (!planned) return 1;
    if (command.problem) return WriteProblem(*planned, command, diagnostics);
    const auto report = ReportOf(*planned, command.compile, diagnostics);
    return report ? Show(*report, command) : 1;
  });
}

}  // namespace tenon
