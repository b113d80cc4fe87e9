#include "tools/plan_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <deque>

#include "planner/check/checker.h"
#include "planner/explain/spill.h"
#include "planner/explain/unknown_costs.h"
#include "planner/formats/plan_answer.h"
#include "planner/formats/plan_csv.h"
#include "planner/formats/plan_json.h"
#include "report/report.h"
#include "report/spill.h"
#include "report/svg.h"
#include "support/file.h"
#include "support/file_places.h"
#include "support/shown_text.h"
#include "tools/interrupt.h"
#include "tools/module_input.h"
#include "tools/plan_problem.h"
#include "tools/progress.h"

namespace tenon {

namespace {

constexpr int kInfeasible = 2;
constexpr int kUndecided = 3;

/// The members of a pool's cost in a problem's JSON.
constexpr planner::CostNames kCostMembers = {"clock_hz", "read_bytes_per_cycle",
                                             "write_bytes_per_cycle"};

/// The spill with the names of the pools.
ReportSpill NamedSpill(const planner::Problem& problem, const planner::Plan& plan) {
  const planner::Spill spill = planner::SpillOf(problem, plan);
  ReportSpill named{
      {}, spill.bound_bytes, plan.cost.is_least, planner::CostGapMillionths(plan.cost)};
  for (const planner::Spill::Move& move : spill.moves) {
    named.moves.push_back({problem.pools[planner::Index(move.from)].name,
                           problem.pools[planner::Index(move.to)].name, move.buffers, move.bytes});
  }
  return named;
}

/// The steps of a search: the times of smaller plans and better bounds.
class SearchRecord {
 public:
  explicit SearchRecord(const ClosingLine& clock) : clock_(clock) {}

  /// `size` is INT64_MAX before there is a plan.
  void Add(int64_t size, int64_t bound) {
    const std::string best = size == INT64_MAX ? "" : fmt::format("{}", size);
    rows_ += fmt::format("{:.6f},{},{}\n", clock_.Seconds(), best, bound);
  }
  /// The curve as CSV.
  std::string Csv() const { return "seconds,best,bound\n" + rows_; }

  int64_t nodes = 0;

 private:
  const ClosingLine& clock_;
  std::string rows_;
};

/// Reports the reason why there is no plan. Returns the exit code.
int Refuse(const absl::Status& status) {
  Fail(std::string(status.message()));
  if (planner::IsProvenInfeasible(status)) return kInfeasible;
  return absl::IsNotFound(status) ? kUndecided : 1;
}

/// Reports the fault of a problem that gives all offsets, as --check does. False if its buffers do
/// not exclude each other; the planner's message is then better.
bool RefuseGiven(const PlanFile& file, PlanTexts& texts) {
  const planner::Problem& problem = file.problem;
  if (!planner::IsGiven(problem)) return false;
  planner::Plan plan;
  plan.pools.resize(problem.pools.size());
  for (const planner::Buffer& buffer : problem.buffers) {
    // With several candidates, the planner may have tried other pools.
    if (buffer.pools.size() != 1) return false;
    plan.placements.push_back({buffer.pools[0], *buffer.fixed_offset});
  }
  using planner::PlanFault;
  const planner::PlanVerdict verdict = planner::CheckPlan(problem, plan);
  const bool is_pair = verdict.fault == PlanFault::kOverlap ||
                       verdict.fault == PlanFault::kDisjoint ||
                       verdict.fault == PlanFault::kDifference;
  if (!is_pair && verdict.fault != PlanFault::kAlignment) return false;
  const auto place = [&](int32_t buffer) { return file.places[planner::Index(buffer)]; };
  Diagnostic& error =
      texts.diagnostics.Error(DiagnosticKind::kCompare, place(verdict.buffer), verdict.message);
  if (verdict.other >= 0) {
    const std::string& other = problem.buffers[planner::Index(verdict.other)].name;
    Diagnostics::AddNote(error, place(verdict.other),
                         fmt::format("`{}` is here", ShownText(other)));
  }
  return true;
}

/// Plans with a line of progress; Ctrl-C ends the search, not the process.
absl::StatusOr<planner::Plan> Search(const PlanCommand& command, const planner::Problem& problem,
                                     SearchRecord& record) {
  const std::string what = fmt::format("planning {} buffers", problem.buffers.size());
  Progress progress(what, command.style);
  const Interrupt interrupt;
  planner::PlanOptions options = SearchOptions(command);
  options.nodes = &record.nodes;
  options.progress = [&](int64_t size, int64_t bound) {
    record.Add(size, bound);
    if (size == INT64_MAX) return;
    progress.Say(fmt::format("{}: best {}, bound {}, gap {:.2f} %", what, size, bound,
                             GapPercent(size, bound)));
  };
  return planner::PlanMemory(problem, command.algorithm, options);
}

/// --previous: nullopt after an error, an empty list without the option.
std::optional<planner::PreviousPlacements> ReadPrevious(const PlanCommand& command,
                                                        const PlanFile& problem, PlanTexts& texts) {
  if (!command.previous) return planner::PreviousPlacements();
  const std::optional<PlanText> text = texts.Read(*command.previous);
  if (!text) return std::nullopt;
  return ReadPreviousPlan(texts.sources, *text, problem, texts.diagnostics);
}

/// Prints the verdict. Returns the exit code.
int Say(const std::optional<std::string>& verdict) {
  if (!verdict) return 1;
  return WriteOutput("-", EscapeControlsOfLines(*verdict) + "\n") ? 0 : 1;
}

int CheckSelfContained(const PlanCommand& command, const PlanText& text, PlanTexts& texts) {
  if (IsPlanJson(text.name, text.text)) {
    return Fail("--check: a plan as JSON needs its problem: tenon plan PROBLEM --check=PLAN");
  }
  const absl::StatusOr<std::vector<planner::Pool>> pools = PoolOptions(command);
  if (!pools.ok()) return Fail(std::string(pools.status().message()));
  std::optional<SelfContainedPlan> plan =
      ReadSelfContainedPlan(texts.sources, text, {.pools = *pools}, texts.diagnostics);
  if (!plan) return 1;
  const absl::Status changed = ChangePools(command, *pools, plan->problem.problem);
  if (!changed.ok()) return Fail(std::string(changed.message()));
  return Say(JudgePlanAnswer(plan->problem, plan->answer, nullptr, texts.diagnostics));
}

int Check(const PlanCommand& command, PlanTexts& texts) {
  const std::optional<PlanText> text = texts.Read(*command.check);
  if (!text) return 1;
  if (command.input().empty()) return CheckSelfContained(command, *text, texts);
  const std::optional<PlanFile> problem = ReadProblem(command, command.input(), texts);
  if (!problem) return 1;
  const std::optional<planner::PreviousPlacements> previous =
      ReadPrevious(command, *problem, texts);
  if (!previous) return 1;
  const std::optional<PlanAnswer> answer =
      ReadPlanAnswer(texts.sources, *text, *problem, texts.diagnostics);
  if (!answer) return 1;
  return Say(JudgePlanAnswer(*problem, *answer, command.previous ? &*previous : nullptr,
                             texts.diagnostics));
}

int EmitProblem(const PlanCommand& command, const PlanFile& problem) {
  const std::string output = command.output.value_or("-");
  if (command.emit_problem == "json") return WriteOutput(output, WriteProblemJson(problem)) ? 0 : 1;
  const absl::StatusOr<std::string> csv = WriteProblemCsv(problem);
  if (!csv.ok()) return Fail("--emit-problem: " + std::string(csv.status().message()));
  return WriteOutput(output, *csv) ? 0 : 1;
}

int Write(const PlanCommand& command, const PlanFile& problem, const planner::Plan& plan,
          const PlanJsonExtras& extras, const SearchRecord& record) {
  std::deque<std::string> texts;
  std::vector<FolderFile> files;
  const auto add = [&](const std::string& path, std::string text) {
    files.push_back({path, texts.emplace_back(std::move(text))});
  };
  if (command.output || (!command.json && !command.html && !command.svg)) {
    absl::StatusOr<std::string> text = WritePlanCsv(problem, plan);
    if (!text.ok()) return Fail(std::string(text.status().message()) + "; use --json");
    add(command.output.value_or("-"), *std::move(text));
  }
  if (command.json) add(*command.json, WritePlanJson(problem, plan, extras));
  if (command.html || command.svg) {
    const MemoryReport report = PlanReport(command.input(), problem, plan);
    if (command.html)
      add(*command.html,
          ReportHtml(report, {.search = SearchOf(plan, record.nodes, extras.seconds)}));
    if (command.svg) add(*command.svg, ReportSvg(report));
  }
  if (command.trace) add(*command.trace, record.Csv());
  const absl::Status written = WriteFolder(".", {}, files);
  return written.ok() ? 0 : Fail(std::string(written.message()));
}

/// The methods that found the sizes of the pools, without duplicates.
std::vector<std::string_view> MethodsOf(const planner::Plan& plan) {
  std::vector<std::string_view> methods;
  for (const planner::PoolPlan& pool : plan.pools) {
    if (std::find(methods.begin(), methods.end(), pool.found_by) == methods.end())
      methods.push_back(pool.found_by);
  }
  return methods;
}

/// The result of a search: `best 1,025,024, bound 986,112 (gap 3.9 %), found by ejection search`.
/// Offsets of the file were not searched: `given 1,025,024, bound 986,112 (gap 3.9 %)`.
/// Buffers outside their best pools follow, with their bound.
std::string ResultText(const planner::Problem& problem, const planner::Plan& plan) {
  if (problem.buffers.empty()) return "no buffers to place";
  const int64_t peak = PlanPeak(plan);
  const int64_t bound = PlanBound(plan);
  const bool is_given = plan.algorithm == planner::kGiven;
  std::string text = fmt::format("{} {}", is_given ? "given" : "best", GroupedDigits(peak));
  if (plan.proven_optimal)
    text += ", proven optimal";
  else
    text += fmt::format(", bound {}{} (gap {:.1f} %)", GroupedDigits(bound),
                        planner::IsOfChoice(plan) ? " for this choice of pools" : "",
                        GapPercent(peak, bound));
  const ReportSpill spill = NamedSpill(problem, plan);
  if (!spill.empty()) text += ", " + SpillText(spill);
  if (is_given) return text;
  const std::vector<std::string_view> methods = MethodsOf(plan);
  if (!methods.empty()) text += fmt::format(", found by {}", fmt::join(methods, " and "));
  return text;
}

/// The reason why a search ended early: `Ctrl-C`; empty if it did not.
std::string_view StoppedBy(const PlanCommand& command, const planner::Plan& plan, double seconds) {
  if (const int signal = Interrupt::Signal(); signal != 0)
    return signal == SIGINT ? "Ctrl-C" : "SIGTERM";
  const bool is_late = command.time_limit && seconds >= *command.time_limit;
  return is_late && !plan.proven_optimal ? "--time-limit" : "";
}

/// An error message for options that exclude each other, or nothing.
std::string Contradiction(const PlanCommand& command) {
  const bool draws = command.json || command.html || command.svg || command.trace;
  if (command.check && (draws || command.output || !command.emit_problem.empty()))
    return "--check makes no plan that -o, --json, --html, --svg, --trace or --emit-problem could "
           "write";
  if (!command.emit_problem.empty() && (draws || command.previous))
    return "--emit-problem makes no plan that --json, --html, --svg, --trace or --previous could "
           "use";
  const bool compares = !command.compare.empty();
  if (compares && (draws || command.output || command.previous || command.check ||
                   command.in_place || !command.emit_problem.empty()))
    return "--compare shows a table only: it writes no plan, and reads and checks none";
  if (command.inputs.size() > 1 && !compares)
    return fmt::format("expected one problem, found {}; --compare=ALGORITHM,... takes several",
                       command.inputs.size());
  std::vector<std::string> inputs = command.inputs;
  if (command.check) inputs.push_back(*command.check);
  if (command.previous) inputs.push_back(*command.previous);
  if (std::count(inputs.begin(), inputs.end(), "-") > 1)
    return "standard input can only be one file";
  return "";
}

/// An error message for a wrong --in-place, or nothing.
std::string RefuseInPlace(const PlanCommand& command) {
  if (!command.in_place) return "";
  if (command.check || !command.emit_problem.empty())
    return "--in-place: --check and --emit-problem make no plan to write";
  if (command.input().empty() || command.input() == "-")
    return "--in-place: expected a FILE to replace";
  if (command.output && !IsSameFile(*command.output, command.input()))
    return "--in-place: the plan replaces the problem, so -o cannot name another file";
  return "";
}

/// No output may replace an input or another output, except by --in-place.
bool CheckFiles(const PlanCommand& command) {
  std::vector<std::string> inputs;
  for (const OptionalPath* path : {&command.check, &command.previous}) {
    if (*path && !(command.in_place && IsSameFile(**path, command.input())))
      inputs.push_back(**path);
  }
  if (!command.in_place) inputs.insert(inputs.end(), command.inputs.begin(), command.inputs.end());
  const OptionalPath outputs[] = {command.output, command.json,  command.html,
                                  command.svg,    command.trace, command.csv};
  return CheckOutputs(inputs, outputs, command.style);
}

}  // namespace

MemoryReport PlanReport(const std::string& name, const PlanFile& file, const planner::Plan& plan) {
  MemoryReport report;
  report.source = name;
  report.algorithm = plan.algorithm;
  report.spill = NamedSpill(file.problem, plan);
  for (size_t p = 0; p < plan.pools.size(); ++p) {
    ReportPool& pool = report.pools.emplace_back();
    pool.name = file.problem.pools[p].name;
    pool.size_bytes = plan.pools[p].size;
    pool.lower_bound_bytes = plan.pools[p].lower_bound.bytes;
    pool.proven_optimal = planner::IsProven(plan.pools[p], plan.cost);
    if (file.problem.pools[p].capacity != planner::kUnlimited)
      pool.capacity_bytes = file.problem.pools[p].capacity;
  }
  for (size_t i = 0; i < plan.placements.size(); ++i) {
    const planner::Buffer& from = file.problem.buffers[i];
    ReportPool& pool = report.pools[planner::Index(plan.placements[i].pool)];
    ++pool.buffers;
    ReportBuffer& buffer = report.buffers.emplace_back();
    buffer.name = from.name;
    buffer.size_bytes = from.size;
    buffer.is_constant = from.kind == planner::BufferKind::kConstant;
    buffer.pool = pool.name;
    buffer.offset = plan.placements[i].offset;
    for (const planner::Lifetime& life : from.lifetimes) {
      buffer.ranges.push_back({life.lower, life.upper});
      report.ticks = std::max(report.ticks, life.upper);
    }
  }
  for (ReportPool& pool : report.pools) FindPeak(report, pool);
  return report;
}

ReportSearch SearchOf(const planner::Plan& plan, std::optional<int64_t> nodes,
                      std::optional<double> seconds) {
  return {fmt::format("{}", fmt::join(MethodsOf(plan), ", ")), nodes, seconds};
}

int Plan(const PlanCommand& given) {
  std::string contradiction = Contradiction(given);
  if (contradiction.empty()) contradiction = RefuseInPlace(given);
  if (!contradiction.empty()) return Fail(contradiction);
  PlanCommand command = given;
  if (command.in_place) command.output = command.input();
  if (!CheckFiles(command)) return 1;
  if (!command.compare.empty()) return ComparePlans(command);
  PlanTexts texts(command.style);
  if (command.check) return Check(command, texts);
  if (command.input().empty()) return Fail("expected a FILE to plan");
  const std::optional<PlanFile> problem = ReadProblem(command, command.input(), texts);
  if (!problem) return 1;
  if (!command.emit_problem.empty()) return EmitProblem(command, *problem);
  const std::optional<planner::PreviousPlacements> previous =
      ReadPrevious(command, *problem, texts);
  if (!previous) return 1;
  const ClosingLine clock(command.style);
  SearchRecord record(clock);
  absl::StatusOr<planner::Plan> plan = Search(command, problem->problem, record);
  if (planner::IsProvenInfeasible(plan.status()) && RefuseGiven(*problem, texts))
    return kInfeasible;
  if (!plan.ok()) return Refuse(plan.status());
  record.Add(PlanPeak(*plan), PlanBound(*plan));
  const std::string unknown = planner::UnknownCostsNote(problem->problem, kCostMembers);
  if (!unknown.empty()) ShowNote(unknown, command.style);
  PlanJsonExtras extras;
  if (command.json) extras.provenance = ProvenanceOf(command, *problem, record.nodes);
  if (command.previous) {
    extras.kept = KeepPrevious(problem->problem, *previous, *plan);
    if (!command.style.quiet)
      fmt::print(stderr, "{} offsets kept ({} bytes), {} moved ({} bytes), {} new\n",
                 extras.kept->kept, extras.kept->kept_bytes, extras.kept->moved,
                 extras.kept->moved_bytes, extras.kept->added);
  }
  extras.seconds = clock.Seconds();
  const int code = Write(command, *problem, *plan, extras, record);
  if (code != 0) return code;
  const std::string_view stopped = StoppedBy(command, *plan, extras.seconds);
  if (stopped.empty())
    clock.Show(ResultText(problem->problem, *plan));
  else
    clock.Show(fmt::format("{}, stopped by {}", ResultText(problem->problem, *plan), stopped),
               " after ");
  return code;
}

}  // namespace tenon
