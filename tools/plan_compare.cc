#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "planner/formats/plan_json.h"
#include "planner/planner.h"
#include "planner/problem/bound.h"
#include "report/report.h"
#include "report/text_table.h"
#include "support/file.h"
#include "support/shown_text.h"
#include "tools/interrupt.h"
#include "tools/module_input.h"
#include "tools/plan_command.h"
#include "tools/plan_problem.h"
#include "tools/progress.h"
#include "tools/version.h"

namespace tenon {

namespace {

/// The answer of an algorithm for a problem.
struct Outcome {
  std::string algorithm;
  /// `planned`, or why there is no plan: `infeasible`, `undecided`, `unsupported`.
  std::string_view result;
  int64_t peak = 0;
  bool is_proven = false;
  std::string found_by;
  int64_t nodes = 0;
  double seconds = 0;

  bool is_planned() const { return result == "planned"; }
};

/// A problem with the answers of all algorithms.
struct Compared {
  std::string name;
  size_t buffers = 0;
  std::string hash;
  /// The best bound that any algorithm has proven.
  int64_t bound = 0;
  std::vector<Outcome> outcomes;

  int64_t BestPeak() const {
    int64_t best = INT64_MAX;
    for (const Outcome& one : outcomes) {
      if (one.is_planned()) best = std::min(best, one.peak);
    }
    return best;
  }
};

std::string_view ResultOf(const absl::StatusOr<planner::Plan>& plan) {
  if (plan.ok()) return "planned";
  if (planner::IsProvenInfeasible(plan.status())) return "infeasible";
  return absl::IsNotFound(plan.status()) ? "undecided" : "unsupported";
}

Outcome RunOne(const PlanCommand& command, const planner::Problem& problem,
               const std::string& algorithm, int64_t& bound) {
  const ClosingLine clock(command.style);
  Outcome outcome;
  outcome.algorithm = algorithm;
  planner::PlanOptions options = SearchOptions(command);
  // Each row is about one algorithm, and a reason is not shown.
  options.fall_back = false;
  options.explain = false;
  options.nodes = &outcome.nodes;
  const bool is_given = algorithm == planner::kGiven;
  const absl::StatusOr<planner::Plan> plan =
      is_given && !planner::IsGiven(problem)
          ? absl::UnimplementedError("not all offsets are given")
          : planner::PlanMemory(problem, is_given ? planner::kDefaultAlgorithm : algorithm,
                                options);
  outcome.seconds = clock.Seconds();
  outcome.result = ResultOf(plan);
  if (!plan.ok()) return outcome;
  outcome.peak = PlanPeak(*plan);
  outcome.is_proven = plan->proven_optimal;
  std::vector<std::string_view> methods;
  for (const planner::PoolPlan& pool : plan->pools) {
    if (std::find(methods.begin(), methods.end(), pool.found_by) == methods.end())
      methods.push_back(pool.found_by);
  }
  outcome.found_by = fmt::format("{}", fmt::join(methods, " and "));
  // Bounds for given offsets or for a choice of pools do not hold for other plans.
  if (!is_given && !planner::IsOfChoice(*plan)) bound = std::max(bound, PlanBound(*plan));
  return outcome;
}

Compared CompareOne(const PlanCommand& command, const std::string& path, const PlanFile& file,
                    Progress& progress) {
  Compared compared;
  compared.name = path;
  compared.buffers = file.problem.buffers.size();
  planner::Problem open = file.problem;
  const bool compares_given = std::find(command.compare.begin(), command.compare.end(),
                                        planner::kGiven) != command.compare.end() &&
                              planner::IsGiven(file.problem);
  if (compares_given) {
    for (planner::Buffer& buffer : open.buffers) buffer.fixed_offset.reset();
  }
  PlanFile hashed = file;
  hashed.problem = open;
  compared.hash = HashOfProblem(hashed);
  for (const planner::LowerBound& bound : planner::ComputeLowerBounds(open))
    compared.bound += bound.bytes;
  for (const std::string& algorithm : command.compare) {
    if (Interrupt::Raised()) break;
    progress.Say(fmt::format("{}: {}", path, algorithm));
    const bool is_given = algorithm == planner::kGiven;
    compared.outcomes.push_back(
        RunOne(command, is_given ? file.problem : open, algorithm, compared.bound));
  }
  for (Outcome& one : compared.outcomes) {
    if (one.algorithm == planner::kGiven) one.is_proven = one.peak == compared.bound;
  }
  return compared;
}

/// A field of CSV, in quotes if necessary.
std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string CsvText(const std::vector<Compared>& all) {
  std::string csv =
      "problem,buffers,algorithm,result,peak_bytes,lower_bound_bytes,gap_percent,proven_optimal,"
      "found_by,nodes,seconds,problem_hash,program\n";
  for (const Compared& one : all) {
    for (const Outcome& outcome : one.outcomes) {
      const std::string figures = outcome.is_planned()
                                      ? fmt::format("{},{},{:.4f},{},{}", outcome.peak, one.bound,
                                                    GapPercent(outcome.peak, one.bound),
                                                    outcome.is_proven, outcome.found_by)
                                      : fmt::format(",{},,,", one.bound);
      csv += fmt::format("{},{},{},{},{},{},{:.6f},{},{}\n", CsvField(one.name), one.buffers,
                         outcome.algorithm, outcome.result, figures, outcome.nodes, outcome.seconds,
                         one.hash, ProgramText("tenon"));
    }
  }
  return csv;
}

/// A line for each algorithm, over all problems.
void AddSums(const PlanCommand& command, const std::vector<Compared>& all, std::string& out) {
  TextTable table("<>>>>>");
  table.Add({"algorithm", "planned", "best", "proven", "mean gap %", "seconds"});
  for (size_t i = 0; i < command.compare.size(); ++i) {
    int64_t planned = 0, best = 0, proven = 0;
    double gap = 0, seconds = 0;
    for (const Compared& one : all) {
      // An interrupt leaves the last problem without some algorithms: sums over it compare nothing.
      if (one.outcomes.size() < command.compare.size()) continue;
      const Outcome& outcome = one.outcomes[i];
      seconds += outcome.seconds;
      if (!outcome.is_planned()) continue;
      ++planned;
      best += outcome.peak == one.BestPeak() ? 1 : 0;
      proven += outcome.is_proven ? 1 : 0;
      gap += GapPercent(outcome.peak, one.bound);
    }
    table.Add({command.compare[i], fmt::format("{}", planned), fmt::format("{}", best),
               fmt::format("{}", proven),
               planned == 0 ? "" : fmt::format("{:.2f}", gap / static_cast<double>(planned)),
               fmt::format("{:.3f}", seconds)});
  }
  table.Write(out);
}

std::string TableText(const PlanCommand& command, const std::vector<Compared>& all) {
  TextTable table("<>><>>>");
  table.Add({"problem", "buffers", "bound", "algorithm", "peak", "gap %", "seconds"});
  for (const Compared& one : all) {
    bool is_first = true;
    for (const Outcome& outcome : one.outcomes) {
      const std::string peak =
          outcome.is_planned() ? GroupedDigits(outcome.peak) : std::string(outcome.result);
      const std::string gap =
          outcome.is_planned() ? fmt::format("{:.2f}", GapPercent(outcome.peak, one.bound)) : "";
      table.Add({is_first ? one.name : "",
                 is_first ? GroupedDigits(static_cast<int64_t>(one.buffers)) : "",
                 is_first ? GroupedDigits(one.bound) : "", outcome.algorithm, peak, gap,
                 fmt::format("{:.3f}", outcome.seconds)});
      is_first = false;
    }
  }
  std::string out;
  table.Write(out);
  if (all.size() > 1) {
    out += '\n';
    AddSums(command, all, out);
  }
  return out;
}

}  // namespace

int ComparePlans(const PlanCommand& command) {
  if (command.inputs.empty()) return Fail("--compare: expected the FILEs of problems");
  const ClosingLine clock(command.style);
  std::vector<Compared> all;
  bool all_read = true;
  {
    const Interrupt interrupt;
    Progress progress("comparing", command.style);
    for (const std::string& path : command.inputs) {
      if (Interrupt::Raised()) break;
      PlanTexts texts(command.style);
      const std::optional<PlanFile> file = ReadProblem(command, path, texts);
      all_read = all_read && file.has_value();
      if (file) all.push_back(CompareOne(command, path, *file, progress));
    }
  }
  if (command.csv && !WriteOutput(*command.csv, CsvText(all))) return 1;
  const bool is_shown = !command.csv || (!command.csv->empty() && *command.csv != "-");
  if (is_shown && !WriteOutput("-", EscapeControlsOfLines(TableText(command, all)))) return 1;
  std::string closing =
      fmt::format("{} problem{}, {} algorithm{}", all.size(), all.size() == 1 ? "" : "s",
                  command.compare.size(), command.compare.size() == 1 ? "" : "s");
  if (is_shown && command.csv) closing += ", table in " + *command.csv;
  if (Interrupt::Raised()) closing += ", stopped";
  clock.Show(closing);
  return all_read ? 0 : 1;
}

}  // namespace tenon
