#ifndef TENON_TOOLS_PLAN_COMMAND_H_
#define TENON_TOOLS_PLAN_COMMAND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/formats/plan_file.h"
#include "planner/planner.h"
#include "report/extras.h"
#include "report/report.h"
#include "tools/stderr_style.h"

namespace tenon {

/// The arguments of `tenon plan`. The problem is a CSV file as google/minimalloc has them
/// (planner/formats/plan_csv.h), or JSON (planner/formats/plan_json.h).
struct PlanCommand {
  /// The files of the problems: one, or several with `compare`.
  std::vector<std::string> inputs;
  /// The only problem; empty without one.
  std::string input() const { return inputs.empty() ? std::string() : inputs[0]; }
  std::string algorithm = std::string(planner::kDefaultAlgorithm);
  /// In bytes, or planner::kUnlimited; for problems with one pool.
  int64_t capacity = planner::kUnlimited;
  /// In the form of ParsePoolOption: the pools, or changes of the file's pools.
  std::vector<std::string> pools;
  /// Placements that the exact search may try, and seconds that it may take. Without a number of
  /// placements, there is no limit if there are seconds, else the limit of planner::PlanOptions.
  std::optional<int64_t> node_limit;
  std::optional<double> time_limit;
  /// The file for the plan, as CSV. Absent: stdout, unless JSON or HTML goes there.
  std::optional<std::string> output;
  /// The plan replaces the file `input`, which is CSV.
  bool in_place = false;
  std::optional<std::string> json;
  std::optional<std::string> html;
  std::optional<std::string> svg;
  /// A file for the curve of the search, as CSV: best size and bound over time.
  std::optional<std::string> trace;
  /// Algorithms to compare. Then the command writes only the table, as CSV to `csv`.
  std::vector<std::string> compare;
  std::optional<std::string> csv;
  /// A plan whose offsets are kept if that costs nothing.
  std::optional<std::string> previous;
  /// A plan to check, instead of making one. If it is CSV, it may contain the problem.
  std::optional<std::string> check;
  /// The style of messages.
  StderrStyle style;
  /// `csv` or `json`: the command writes the problem, and plans nothing.
  std::string emit_problem;
};

/// The plan of a problem as a report, for its map. `name` stands for the problem's file.
MemoryReport PlanReport(const std::string& name, const PlanFile& file, const planner::Plan& plan);

/// How a plan was found, for its page. `nodes` are the placements that the search tried.
ReportSearch SearchOf(const planner::Plan& plan, std::optional<int64_t> nodes,
                      std::optional<double> seconds);

/// Plans each problem with each algorithm of `compare` and shows a table. The exit code: 0, or 1
/// after an error in a problem.
int ComparePlans(const PlanCommand& command);

/// The exit code. 0: there is a plan, or --check finds it valid. 1: an error, or it is not valid.
/// 2: proven that nothing fits. 3: not decided.
int Plan(const PlanCommand& command);

}  // namespace tenon

#endif  // TENON_TOOLS_PLAN_COMMAND_H_
