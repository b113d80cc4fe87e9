#include "tools/plan_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "driver/plan_csv.h"
#include "report/report.h"
#include "support/file.h"
#include "tools/interrupt.h"
#include "tools/module_input.h"
#include "tools/progress.h"

namespace tenon {

namespace {

constexpr int kInfeasible = 2;
constexpr int kUndecided = 3;

/// By how much a plan may be larger than the least one, of the bound.
double GapPercent(int64_t size, int64_t bound) {
  if (size == bound) return 0;
  if (bound == 0) return 100;
  return 100.0 * static_cast<double>(size - bound) / static_cast<double>(bound);
}

std::string PlanJson(const PlanCsv& csv, const planner::Plan& plan, double seconds) {
  using Json = nlohmann::ordered_json;
  Json buffers = Json::array();
  for (size_t i = 0; i < plan.placements.size(); ++i) {
    buffers.push_back({{"id", csv.problem.buffers[i].name}, {"offset", plan.placements[i].offset}});
  }
  const Json out{{"algorithm", plan.algorithm},
                 {"peak_bytes", plan.pools[0].size},
                 {"lower_bound_bytes", plan.pools[0].lower_bound.bytes},
                 {"proven_optimal", plan.proven_optimal},
                 {"gap_percent", GapPercent(plan.pools[0].size, plan.pools[0].lower_bound.bytes)},
                 {"bound_by_search", plan.pools[0].lower_bound.kind == planner::BoundKind::kSearch},
                 {"seconds", seconds},
                 {"buffers", std::move(buffers)}};
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The plan as a report, for its map.
MemoryReport PlanReport(const std::string& name, const PlanCsv& csv, const planner::Plan& plan) {
  MemoryReport report;
  report.source = name;
  report.algorithm = plan.algorithm;
  ReportPool& pool = report.pools.emplace_back();
  pool.name = csv.problem.pools[0].name;
  pool.size_bytes = plan.pools[0].size;
  pool.lower_bound_bytes = plan.pools[0].lower_bound.bytes;
  pool.proven_optimal = plan.proven_optimal;
  pool.buffers = static_cast<int64_t>(plan.placements.size());
  for (size_t i = 0; i < plan.placements.size(); ++i) {
    const planner::Buffer& from = csv.problem.buffers[i];
    ReportBuffer& buffer = report.buffers.emplace_back();
    buffer.name = from.name;
    buffer.size_bytes = from.size;
    buffer.pool = pool.name;
    buffer.offset = plan.placements[i].offset;
    for (const planner::Lifetime& life : from.lifetimes) {
      buffer.ranges.push_back({life.lower, life.upper});
      report.ticks = std::max(report.ticks, life.upper);
    }
  }
  FindPeak(report, pool);
  return report;
}

/// Says why there is no plan; the exit code.
int Refuse(const absl::Status& status) {
  Fail(std::string(status.message()));
  if (planner::IsProvenInfeasible(status)) return kInfeasible;
  return absl::IsNotFound(status) ? kUndecided : 1;
}

std::optional<PlanCsv> ReadProblem(const PlanCommand& command) {
  const absl::StatusOr<std::shared_ptr<const FileBytes>> file = ReadFile(command.input);
  if (!file.ok()) {
    Fail(std::string(file.status().message()));
    return std::nullopt;
  }
  SourceManager sources;
  Diagnostics diagnostics;
  std::optional<PlanCsv> csv =
      ParsePlanCsv(sources, (*file)->path(), (*file)->view(), *file, diagnostics);
  const RenderOptions render{isatty(STDERR_FILENO) != 0};
  const std::string rendered = Render(sources, diagnostics, render);
  std::fwrite(rendered.data(), 1, rendered.size(), stderr);
  return csv;
}

/// Plans with a line of progress; Ctrl-C ends the search, not the process.
absl::StatusOr<planner::Plan> Search(const PlanCommand& command, const planner::Problem& problem) {
  const std::string what = fmt::format("planning {} buffers", problem.buffers.size());
  Progress progress(what);
  const Interrupt interrupt;
  planner::PlanOptions options;
  if (command.time_limit) options.node_limit = INT64_MAX;
  if (command.node_limit) options.node_limit = *command.node_limit;
  options.time_limit = command.time_limit;
  options.stop = Interrupt::Raised;
  options.progress = [&](int64_t size, int64_t bound) {
    if (size == INT64_MAX) return;
    progress.Say(fmt::format("{}: best {}, bound {}, gap {:.2f} %", what, size, bound,
                             GapPercent(size, bound)));
  };
  return planner::PlanMemory(problem, command.algorithm, options);
}

}  // namespace

int Plan(const PlanCommand& command) {
  std::optional<PlanCsv> csv = ReadProblem(command);
  if (!csv) return 1;
  csv->problem.pools[0].capacity = command.capacity;
  const auto start = std::chrono::steady_clock::now();
  const absl::StatusOr<planner::Plan> plan = Search(command, csv->problem);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (!plan.ok()) return Refuse(plan.status());
  bool ok = true;
  if (command.output || (!command.json && !command.html))
    ok &= WriteOutput(command.output.value_or("-"), WritePlanCsv(*csv, *plan));
  if (command.json) ok &= WriteOutput(*command.json, PlanJson(*csv, *plan, took.count()));
  if (command.html)
    ok &= WriteOutput(*command.html, ReportHtml(PlanReport(command.input, *csv, *plan)));
  return ok ? 0 : 1;
}

}  // namespace tenon
