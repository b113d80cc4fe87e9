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

// Planning problems and their answers as JSON; docs/tools.md describes both. A problem has all that
// planner::Problem can say:
//
//   {"version": 1,
//    "pools": [{"name": "sram", "capacity": 4096, "alignment": 16}],
//    "buffers": [
//      {"id": "a", "size": 64, "lifetimes": [[0, 3], [5, 9]]},
//      {"id": "b", "size": 64, "lifetimes": [[2, 6]], "gaps": [[3, 4, 0, 8]]}],
//    "relations": [{"kind": "offset-difference", "a": "a", "b": "b", "allowed": [[-8, 0]]}]}

namespace tenon {

/// Of both formats: grows when a reader of older ones would misread it, not when members are added.
inline constexpr int64_t kPlanJsonVersion = 1;

/// Whether a file with this name and text is meant as JSON rather than as CSV.
bool IsPlanJson(std::string_view name, std::string_view text);

/// For texts with up to kMostPlanBuffers elements in a list of the root.
JsonLimits PlanJsonLimits();

/// Reads a problem. All that is wrong with it is reported, at its place; nullopt then. `pools` are
/// the problem's if the file declares none.
std::optional<PlanFile> ParsePlanJson(SourceManager& sources, std::string_view name,
                                      std::string_view text, std::shared_ptr<const void> owner,
                                      Diagnostics& diagnostics,
                                      const std::vector<planner::Pool>& pools = {});

/// The problem, to be read back as it is.
std::string WriteProblemJson(const PlanFile& file);

/// What is said of a plan beyond the plan.
struct PlanJsonExtras {
  double seconds = 0;
  std::optional<planner::KeptOffsets> kept = std::nullopt;
};

/// The plan with its certificate.
std::string WritePlanJson(const PlanFile& file, const planner::Plan& plan,
                          const PlanJsonExtras& extras);

/// By how much, of the bound, a plan may be larger than the least one.
double GapPercent(int64_t size, int64_t bound);

/// Sums over pools, INT64_MAX where they are too large.
int64_t PlanPeak(const planner::Plan& plan);
int64_t PlanBound(const planner::Plan& plan);

}  // namespace tenon

#endif  // TENON_PLANNER_FORMATS_PLAN_JSON_H_
