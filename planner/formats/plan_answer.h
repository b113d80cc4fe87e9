#ifndef TENON_PLANNER_FORMATS_PLAN_ANSWER_H_
#define TENON_PLANNER_FORMATS_PLAN_ANSWER_H_

// Plans as files: reads what WritePlanCsv and WritePlanJson wrote, or somebody else, and judges it.

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

/// A text with a name, for ReadPlanAnswer and ReadPreviousPlan; JSON or CSV as IsPlanJson says.
struct PlanText {
  std::string_view name;
  std::string_view text;
  std::shared_ptr<const void> owner;
};

/// The figures that stand for a pool, or for all of them, and where.
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

/// What a file of JSON says beyond offsets.
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

/// Where a buffer's placement stands.
struct PlacementRanges {
  SourceRange row;
  SourceRange pool;
  SourceRange offset;
};

/// A plan of a problem as a file has it.
struct PlanAnswer {
  planner::Plan plan;
  std::vector<PlacementRanges> rows;
  /// Absent in CSV: sizes are then what the offsets make them, and bounds 0.
  std::optional<PlanCertificate> certificate;
};

/// Reads a plan of `problem`: every buffer once, with what is said of it as the problem has it.
/// All that is wrong is reported, at its place; nullopt then.
std::optional<PlanAnswer> ReadPlanAnswer(SourceManager& sources, const PlanText& text,
                                         const PlanFile& problem, Diagnostics& diagnostics);

/// A plan in CSV that has the columns of its problem, too.
struct SelfContainedPlan {
  PlanCsv problem;
  PlanAnswer answer;
};
std::optional<SelfContainedPlan> ReadSelfContainedPlan(SourceManager& sources, const PlanText& text,
                                                       const PlanCsvOptions& options,
                                                       Diagnostics& diagnostics);

/// Reads a plan of an earlier form of `problem`: buffers are the same if id and size are. A file
/// without pools means the first one.
std::optional<planner::PreviousPlacements> ReadPreviousPlan(SourceManager& sources,
                                                            const PlanText& text,
                                                            const PlanFile& problem,
                                                            Diagnostics& diagnostics);

/// Judges with planner/check/checker.h, and compares the figures with each other, and with
/// `previous` if there is one. One line that says what was found right, or nullopt and a diagnostic
/// at the fault.
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
    /// Empty: not said.
    std::string_view pool;
    int64_t offset = 0;
    PlacementRanges at;
  };

  /// `is_previous`: the rows are of another problem, and not all need to be of this one.
  PlanRows(const PlanFile& file, bool is_previous, Diagnostics& diagnostics);

  /// The number of the buffer that the row is of, or -1.
  int32_t Add(const Row& row);
  /// Reports buffers without a row.
  void Finish();

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
  // Once rows are not in the order of the problem: the first of each id, and the next of the same.
  bool is_mapped_ = false;
  absl::flat_hash_map<std::string, int32_t> next_;
  std::vector<int32_t> same_;
  absl::flat_hash_map<std::string, int32_t> pools_;
};

/// Internal: the JSON side of ReadPlanAnswer, and of ReadPreviousPlan.
std::optional<PlanCertificate> ReadPlanJson(const SourceFile& file, const PlanFile& problem,
                                            PlanRows& rows, planner::Plan& plan,
                                            Diagnostics& diagnostics);
bool ReadPreviousJson(const SourceFile& file, PlanRows& rows, Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_PLANNER_FORMATS_PLAN_ANSWER_H_
