#include "tools/report_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "compile/board_fit.h"
#include "compile/memory_figures.h"
#include "compile/plan_variants.h"
#include "passes/memory/plan_memory.h"
#include "planner/formats/plan_json.h"
#include "report/layers.h"
#include "report/read_json.h"
#include "report/svg.h"
#include "support/file.h"
#include "support/file_kind.h"
#include "support/shown_text.h"
#include "support/status_macros.h"
#include "tools/board_options.h"
#include "tools/progress.h"

namespace tenon {

namespace {

/// The requested explanations; NotFound if the named pool has no peak.
absl::StatusOr<std::vector<PeakWhy>> Explain(const MemoryReport& report, const std::string& name) {
  std::vector<PeakWhy> all;
  std::vector<std::string> names;
  for (const ReportPool& pool : report.pools) {
    if (!pool.peak) continue;
    names.push_back(pool.name);
    if (name.empty() || pool.name == name) all.push_back(ExplainPeak(report, pool));
  }
  if (!all.empty() || name.empty()) return all;
  return absl::NotFoundError(
      fmt::format("the pool `{}` has no peak; expected one of {}", name,
                  names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

/// The explanations, one after the other.
std::string WhyTexts(const MemoryReport& report, const ReportExtras& extras) {
  std::vector<std::string> texts = {OptionsText(report, extras.options)};
  for (const PeakWhy& why : extras.why) {
    const auto pool = std::find_if(report.pools.begin(), report.pools.end(),
                                   [&](const ReportPool& p) { return p.name == why.pool; });
    texts.push_back(WhyText(report, *pool, why));
  }
  if (extras.why.empty()) texts.push_back("nothing is live in any workspace pool\n");
  texts.push_back(OverlapsText(report));
  std::erase_if(texts, [](const std::string& text) { return text.empty(); });
  return fmt::format("{}", fmt::join(texts, "\n"));
}

/// Reads a report, and prints its errors to stderr.
std::optional<MemoryReport> ReadReport(const std::string& path, const StderrStyle& style) {
  // One more byte than the limit shows that a stream is too long.
  ReadFileOptions limits;
  limits.max_stream_bytes = kMostReportBytes + 1;
  const absl::StatusOr<std::shared_ptr<const FileBytes>> file = ReadFile(path, limits);
  if (!file.ok()) {
    Fail(std::string(file.status().message()));
    return std::nullopt;
  }
  const std::string wrong = WrongKindMessage(path, (*file)->view(), ReaderKind::kReports);
  if (!wrong.empty()) {
    Fail(wrong);
    return std::nullopt;
  }
  SourceManager sources;
  Diagnostics diagnostics;
  std::optional<MemoryReport> report =
      ReadReportJson(sources, (*file)->path(), (*file)->view(), *file, diagnostics);
  ShowDiagnostics(sources, diagnostics, style);
  return report;
}

/// Prints the line with which the command ends.
void ShowClosing(const MemoryReport& report, const ReportCommand& command,
                 const ClosingLine& closing) {
  std::string text = FiguresText(FiguresOf(report));
  for (const OptionalPath* path :
       {&command.report.json, &command.report.html, &command.report.svg}) {
    if (*path && !(*path)->empty() && **path != "-") text += ", report in " + **path;
  }
  closing.Show(text);
  if (command.compile.board != nullptr)
    ShowLine(FitText(*command.compile.board, FiguresOf(report), std::nullopt),
             command.module.style);
}

/// Adds what a run of an image took.
absl::Status AddInstructions(const std::string& path, MemoryReport& report) {
  TENON_ASSIGN_OR(const std::shared_ptr<const FileBytes> file, ReadFile(path));
  const absl::Status read = ReadInstructions(file->view(), report);
  if (read.ok()) return read;
  return absl::InvalidArgumentError(fmt::format("{}: {}", path, std::string(read.message())));
}

/// Adds instructions and explanations that the command asks for.
absl::Status AddExtras(const ReportCommand& command, MemoryReport& report, ReportExtras& extras) {
  if (command.instructions) TENON_TRY(AddInstructions(*command.instructions, report));
  if (!command.why) return absl::OkStatus();
  TENON_ASSIGN_OR(extras.why, Explain(report, *command.why));
  return absl::OkStatus();
}

/// Shows the output that the command asks for.
int Show(MemoryReport& report, const ReportCommand& command, const ClosingLine& closing,
         ReportExtras extras = {}) {
  const absl::Status added = AddExtras(command, report, extras);
  if (!added.ok()) return Fail(std::string(added.message()));
  ReportDiff diff;
  if (command.diff) {
    std::optional<MemoryReport> before = ReadReport(*command.diff, command.module.style);
    if (!before) return 1;
    diff = DiffReports(*command.diff, *std::move(before), report);
    extras.diff = &diff;
  }
  if (command.report.any()) {
    if (!WriteReports(report, extras, command.report)) return 1;
    ShowClosing(report, command, closing);
    return 0;
  }
  if (command.layers_csv) {
    if (!WriteOutput(*command.layers_csv, LayersCsv(report))) return 1;
    ShowClosing(report, command, closing);
    return 0;
  }
  std::string text;
  if (command.layers) text = LayersText(report, command.all);
  if (command.diff) text += (text.empty() ? "" : "\n") + DiffText(diff, report);
  if (command.why) text += (text.empty() ? "" : "\n") + WhyTexts(report, extras);
  if (text.empty()) text = command.all ? ReportText(report) : ReportText(report, TextLimits{});
  if (!WriteOutput("-", EscapeControlsOfLines(text))) return 1;
  ShowClosing(report, command, closing);
  return 0;
}

/// --problem: writes the problem that plan-memory gave the planner.
int WriteProblem(const PlannedModule& planned, const ReportCommand& command,
                 Diagnostics& diagnostics) {
  if (planned.as_given) return Fail("--problem: the module is already planned");
  absl::StatusOr<MemoryProblem> made =
      MakeMemoryProblem(planned.noted, PlanningOptions(command.compile), diagnostics);
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

int ReportModule(const IRModule& module, const ReportCommand& command, const ClosingLine& closing,
                 Diagnostics& diagnostics) {
  std::optional<ModuleReport> made = PlanForReport(module, command, diagnostics);
  if (!made || !ShowByocReport(made->external.report, command.byoc_report, command.module.style))
    return 1;
  if (command.problem) return WriteProblem(made->planned, command, diagnostics);
  return Show(*made->report, command, closing, std::move(made->extras));
}

}  // namespace

std::optional<ModuleReport> PlanForReport(const IRModule& module, const ReportCommand& command,
                                          Diagnostics& diagnostics) {
  const Progress progress("planning", command.module.style);
  std::optional<ExternalModule> external =
      MakeExternals(module, command.compile, "default", diagnostics);
  if (!external) return std::nullopt;
  CompileOptions options = command.compile;
  options.workspace_alignment =
      std::max(options.workspace_alignment, external->workspace_alignment);
  const std::optional<IRModule> linked = LinkParams(external->host, options, diagnostics);
  if (!linked) return std::nullopt;
  const PlanTarget target;
  std::optional<PlannedModule> planned = PlanModule(*linked, options, target, diagnostics);
  if (!planned) {
    SuggestPlanOptions({*linked, options, target}, diagnostics);
    return std::nullopt;
  }
  ModuleReport result{*std::move(external), *std::move(planned), {}, {}};
  if (command.problem) return result;
  result.report = ReportOf(result.planned, command.compile, diagnostics);
  if (!result.report) return std::nullopt;
  // Models in other formats than text have no places.
  if (result.report->source.empty()) result.report->source = command.module.path;
  const PlanBase base{*linked, options, target, result.planned.as_given};
  result.report->accountings = AccountingsOf(base, *result.report);
  if (command.why) result.extras.options = TryPlanOptions(base, *result.report);
  if (!result.external.report.empty())
    result.report->operators = ReportOperatorsOf(result.external.report);
  return result;
}

absl::Status CompleteReport(const ReportCommand& command, ModuleReport& made) {
  return AddExtras(command, *made.report, made.extras);
}

bool WriteReports(const MemoryReport& report, const ReportExtras& extras,
                  const ReportOutputs& outputs) {
  std::string json;
  std::string html;
  std::string svg;
  std::vector<FolderFile> files;
  const auto add = [&](const std::string& path, const std::string& text) {
    files.push_back({path.empty() ? "-" : path, text});
  };
  if (outputs.json) add(*outputs.json, json = ReportJson(report, extras));
  if (outputs.html) add(*outputs.html, html = ReportHtml(report, extras));
  if (outputs.svg) add(*outputs.svg, svg = ReportSvg(report));
  const absl::Status written = WriteFolder(".", {}, files);
  return written.ok() || Fail(std::string(written.message())) == 0;
}

int ShowReport(const ReportCommand& command) {
  const ClosingLine closing(command.module.style);
  std::vector<std::string> inputs = {command.module.path};
  if (command.diff) inputs.push_back(*command.diff);
  if (command.instructions) inputs.push_back(*command.instructions);
  AddPoolPaths(command.compile, inputs);
  const OptionalPath outputs[] = {command.report.json, command.report.html, command.report.svg,
                                  command.problem, command.layers_csv};
  if (!CheckOutputs(inputs, outputs, command.module.style)) return 1;
  if (command.module.path.ends_with(".json")) {
    std::optional<MemoryReport> report = ReadReport(command.module.path, command.module.style);
    return report ? Show(*report, command, closing) : 1;
  }
  return WithModule(command.module, [&](const IRModule& module, Diagnostics& diagnostics) {
    const IRModule* const modules[] = {&module};
    if (!CheckOutputs(InputFilesOf(modules), outputs, command.module.style)) return 1;
    return ReportModule(module, command, closing, diagnostics);
  });
}

}  // namespace tenon
