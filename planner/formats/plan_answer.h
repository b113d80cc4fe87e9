#ifndef TENON_PLANNER_FORMATS_PLAN_ANSWER_H_
#define TENON_PLANNER_FORMATS_PLAN_ANSWER_H_

// Plans as files: reads and checks the output of WritePlanCsv and WritePlanJson or of other
// planners.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "planner/formats/plan_csv.h"
#include "planner/formats/plan_file.h"
#include "planner/heuristics/keep_offsets.h"
#include "planner/problem/problem.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace tenon {

/// A named text for ReadPlanAnswer and ReadPreviousPlan; IsPlanJson tells JSON from CSV.
struct PlanText {
  std::string_view name;
  std::string_view text;
  std::shared_ptr<const void> owner;
};

/// The figures that a file states for a pool or for the total, with their places in the file.
struct PlanFigures {
  int64_t peak = 0;
  int64_t bound = 0;
  bool proven = false;
  double gap = 0;
  SourceRange peak_at;
  SourceRange bound_at;
  SourceRange proven_at;
  SourceRange gap_at;
};

/// The contents of a JSON file besides the offsets.
struct PlanCertificate {
  PlanFigures total;
  std::vector<PlanFigures> pools;
  std::vector<SourceRange> witnesses;
  std::string algorithm;
  SourceRange algorithm_at;
  bool by_search = false;
  SourceRange by_search_at;
  SourceRange cost_at;
  std::optional<planner::KeptOffsets> kept;
  SourceRange kept_at;
};

/// The places in the file that state a buffer's placement.
struct PlacementRanges {
  SourceRange row;
  SourceRange pool;
  SourceRange offset;
};

/// A plan of a problem as read from a file.
struct PlanAnswer {
  planner::Plan plan;
  std::vector<PlacementRanges> rows;
  /// Absent in CSV: the sizes then follow from the offsets, and the bounds are 0.
  std::optional<PlanCertificate> certificate;
};

/// Reads a plan of `problem`, in which every buffer occurs once and agrees with the problem.
/// Reports every error at its place, and returns nullopt if there are any.
std::optional<PlanAnswer> ReadPlanAnswer(SourceManager& sources, const PlanText& text,
                                         const PlanFile& problem, Diagnostics& diagnostics);

/// A plan in CSV that also has the columns of its problem.
struct SelfContainedPlan {
  PlanCsv problem;
  PlanAnswer answer;
};
std::optional<SelfContainedPlan> ReadSelfContainedPlan(SourceManager& sources, const PlanText& text,
                                                       const PlanCsvOptions& options,
                                                       Diagnostics& diagnostics);

/// Reads a plan of an earlier version of `problem`. Buffers are matched by id and size. A file
/// without pools means the first pool.
std::optional<planner::PreviousPlacements> ReadPreviousPlan(SourceManager& sources,
                                                            const PlanText& text,
                                                            const PlanFile& problem,
                                                            Diagnostics& diagnostics);

/// Checks the plan with planner/check/checker.h, and compares its figures with each other and, if
/// not null, with `previous`. Returns one line that lists what is correct, or nullopt and a
/// diagnostic at the fault.
std::optional<std::string> JudgePlanAnswer(const PlanFile& problem, const PlanAnswer& answer,
                                           const planner::PreviousPlacements* previous,
                                           Diagnostics& diagnostics);

/// Internal: collects the placements of a file, one row at a time.
class PlanRows {
 public:
  struct Row {
    std::string_view id;
    SourceRange id_at;
    std::optional<int64_t> size;
    SourceRange size_at;
    /// Empty if the row has no pool.
    std::string_view pool;
    int64_t offset = 0;
    PlacementRanges at;
  };

  /// `is_previous`: the rows belong to an earlier problem, and may name buffers that `file` does
  /// not have.
  PlanRows(const PlanFile& file, bool is_previous, Diagnostics& diagnostics);

  /// The number of the row's buffer, or -1.
  int32_t Add(const Row& row);
  /// Reports buffers without a row.
  void Finish();
  /// The rows name only buffers that the problem does not have.
  bool AreOfAnotherProblem() const { return rows_ > 0 && unknown_ == rows_; }

  std::vector<std::optional<planner::Placement>>& placements() { return placements_; }
  std::vector<PlacementRanges>& ranges() { return ranges_; }

 private:
  int32_t Take(std::string_view id, bool* is_known);
  std::optional<int32_t> PoolOf(const Row& row);

  const PlanFile& file_;
  const bool is_previous_;
  Diagnostics& diagnostics_;
  std::vector<std::optional<planner::Placement>> placements_;
  std::vector<PlacementRanges> ranges_;
  std::vector<bool> taken_;
  size_t in_order_ = 0;
  size_t rows_ = 0;
  size_t unknown_ = 0;
  // Set if rows are not in the problem's order: the first buffer of each id, and the next of the
  // same id.
  bool is_mapped_ = false;
  absl::flat_hash_map<std::string, int32_t> next_;
  std::vector<int32_t> same_;
  absl::flat_hash_map<std::string, int32_t> pools_;
};

/// Internal: the JSON reader of ReadPlanAnswer and ReadPreviousPlan.
std::optional<PlanCertificate> ReadPlanJson(const SourceFile& file, const PlanFile& problem,
                                            PlanRows& rows, planner::Plan& plan,
                                            Diagnostics& diagnostics);
bool ReadPreviousJson(const SourceFile& file, PlanRows& rows, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_PLANNER_FORMATS_PLAN_ANSWER_H_
