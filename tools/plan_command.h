#ifndef TENON_TOOLS_PLAN_COMMAND_H_
#define TENON_TOOLS_PLAN_COMMAND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/planner.h"
#include "tools/stderr_style.h"

namespace tenon {

/// The arguments of `tenon plan`. The problem is a CSV file as google/minimalloc has them
/// (planner/formats/plan_csv.h), or JSON (planner/formats/plan_json.h).
struct PlanCommand {
  std::string input;
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
  /// A plan whose offsets are kept if that costs nothing.
  std::optional<std::string> previous;
  /// A plan to check, instead of making one. If it is CSV, it may contain the problem.
  std::optional<std::string> check;
  /// The style of messages.
  StderrStyle style;
  /// `csv` or `json`: the command writes the problem, and plans nothing.
  std::string emit_problem;
};

/// The exit code. 0: there is a plan, or --check finds it valid. 1: an error, or it is not valid.
/// 2: proven that nothing fits. 3: not decided.
int Plan(const PlanCommand& command);

}  // namespace tenon

#endif  // TENON_TOOLS_PLAN_COMMAND_H_
