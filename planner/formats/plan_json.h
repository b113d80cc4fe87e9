#ifndef TENON_PLANNER_FORMATS_PLAN_JSON_H_
#define TENON_PLANNER_FORMATS_PLAN_JSON_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/formats/plan_file.h"
#include "planner/heuristics/keep_offsets.h"
#include "planner/problem/problem.h"
#include "support/diagnostics.h"
#include "support/json_reader.h"
#include "support/source.h"

// Planning problems and their answers as JSON; docs/reference/plan.md describes both. The format
// can express every planner::Problem:
//
//   {"version": 1,
//    "pools": [{"name": "sram", "capacity": 4096, "alignment": 16}],
//    "buffers": [
//      {"id": "a", "size": 64, "lifetimes": [[0, 3], [5, 9]]},
//      {"id": "b", "size": 64, "lifetimes": [[2, 6]], "gaps": [[3, 4, 0, 8]]}],
//    "relations": [{"kind": "offset-difference", "a": "a", "b": "b", "allowed": [[-8, 0]]}]}

namespace tenon {

/// The version of both formats. It grows when older readers would misread a file, not with new
/// members.
inline constexpr int64_t kPlanJsonVersion = 1;

/// True if a file with this name and text is JSON rather than CSV.
bool IsPlanJson(std::string_view name, std::string_view text);

/// Limits that allow up to kMostPlanBuffers elements in a list of the root.
JsonLimits PlanJsonLimits();

/// Reads a problem. Reports every error at its place, and returns nullopt if there are any. `pools`
/// are the problem's pools if the file declares none.
std::optional<PlanFile> ParsePlanJson(SourceManager& sources, std::string_view name,
                                      std::string_view text, std::shared_ptr<const void> owner,
                                      Diagnostics& diagnostics,
                                      const std::vector<planner::Pool>& pools = {});

/// The problem as JSON; reading it gives an equal problem.
std::string WriteProblemJson(const PlanFile& file);

/// The content hash of a problem, `xxh3:...`, whatever its format: the hash of WriteProblemJson.
std::string HashOfProblem(const PlanFile& file);

/// The origin of a plan, with all that is needed to make it again.
struct PlanProvenance {
  /// The program and its version.
  std::string program;
  /// The algorithm that was asked for.
  std::string requested;
  /// The limits of the search; nullopt: none.
  std::optional<int64_t> node_limit;
  std::optional<double> time_limit;
  /// The placements that were tried.
  int64_t nodes = 0;
  /// HashOfProblem.
  std::string problem_hash;
};

/// Additional figures to write with a plan.
struct PlanJsonExtras {
  double seconds = 0;
  std::optional<PlanProvenance> provenance = std::nullopt;
  std::optional<planner::KeptOffsets> kept = std::nullopt;
};

/// The plan with its certificate.
std::string WritePlanJson(const PlanFile& file, const planner::Plan& plan,
                          const PlanJsonExtras& extras);

/// The largest excess of a plan's size over the least size, as a percentage of the bound.
double GapPercent(int64_t size, int64_t bound);

/// Sums over pools, saturating at INT64_MAX.
int64_t PlanPeak(const planner::Plan& plan);
int64_t PlanBound(const planner::Plan& plan);

}  // namespace tenon

#endif  // TENON_PLANNER_FORMATS_PLAN_JSON_H_
