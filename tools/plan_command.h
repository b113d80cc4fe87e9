#ifndef TENON_TOOLS_PLAN_COMMAND_H_
#define TENON_TOOLS_PLAN_COMMAND_H_

#include <cstdint>
#include <optional>
#include <string>

#include "planner/planner.h"

namespace tenon {

/// What `tenon plan` is asked to do. The problem is a CSV file as google/minimalloc has them; see
/// driver/plan_csv.h.
struct PlanCommand {
  std::string input = "-";
  std::string algorithm = std::string(planner::kDefaultAlgorithm);
  /// Bytes; planner::kUnlimited for as many as it takes.
  int64_t capacity = planner::kUnlimited;
  /// Placements that the exact search may try, and seconds that it may take. Without the first, no
  /// limit if the second is there, and planner::PlanOptions' otherwise.
  std::optional<int64_t> node_limit;
  std::optional<double> time_limit;
  /// Where the plan goes, as CSV. Absent: stdout, unless JSON or HTML goes there.
  std::optional<std::string> output;
  std::optional<std::string> json;
  std::optional<std::string> html;
};

/// The exit code: 0 planned, 1 errors, 2 proven that nothing fits, 3 not decided.
int Plan(const PlanCommand& command);

}  // namespace tenon

#endif  // TENON_TOOLS_PLAN_COMMAND_H_
