#ifndef TENON_PLANNER_FORMATS_PLAN_CSV_H_
#define TENON_PLANNER_FORMATS_PLAN_CSV_H_

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "planner/formats/plan_file.h"
#include "planner/problem/problem.h"
#include "support/diagnostics.h"
#include "support/source.h"

// Planning problems in the format of google/minimalloc: a header, then one line for each buffer.
//
//   id,lower,upper,size,alignment,gaps,offset
//   b1,0,3,4,1,,
//   b2,3,9,16,8,4-6@0:8,
//
// Columns come in any order; id, size, and either lower and upper or lifetimes are required.
// A gap is `lower-upper`, or `lower-upper@first:end` if the bytes from first to end stay in use.
// `lifetimes` is a list of `lower-upper`; lower and upper, if also given, are those of the first
// and the last lifetime. `pools` lists names of pools, preferred first, `groups` lists names of
// groups, and `kind` is intermediate, input, output or constant. bytes_read and bytes_written count
// accesses. Blanks separate the parts of a list. `offset` fixes the buffer at that offset, `pool`
// in that pool. Every field except id and size may be empty.

namespace tenon {

/// The known columns.
enum class PlanColumn : uint8_t {
  kId,
  kLower,
  kUpper,
  kSize,
  kAlignment,
  kGaps,
  kOffset,
  kLifetimes,
  kPools,
  kPool,
  kGroups,
  kKind,
  kBytesRead,
  kBytesWritten,
};
inline constexpr size_t kPlanColumns = 14;

/// The column index of each field.
struct PlanCsvColumns {
  static constexpr size_t kAbsent = static_cast<size_t>(-1);
  std::array<size_t, kPlanColumns> field;

  PlanCsvColumns() { field.fill(kAbsent); }
  bool Has(PlanColumn column) const { return field[static_cast<size_t>(column)] != kAbsent; }
  /// The text of the column in `line`; empty if the line does not have it.
  std::string_view Of(PlanColumn column, std::string_view line) const;
};

struct PlanCsvOptions {
  /// The pools, if known.
  std::vector<planner::Pool> pools = {};
  /// True if the file is an answer: only id and offset are required, and each line has its offset.
  bool is_plan = false;
  /// True if an answer must also have everything that a problem must have.
  bool is_problem = false;
};

/// A file after reading.
struct PlanCsv : PlanFile {
  PlanCsvColumns columns;
  /// In an answer: the placements of its buffers.
  std::vector<planner::Placement> placements;
};

/// Reads a problem or an answer. Reports every error at its place, and returns nullopt if there are
/// any.
std::optional<PlanCsv> ParsePlanCsv(SourceManager& sources, std::string_view name,
                                    std::string_view text, std::shared_ptr<const void> owner,
                                    Diagnostics& diagnostics, const PlanCsvOptions& options = {});

/// Writes the problem's lines with the column `offset` at the end, and `pool` before it if there
/// are several pools. If the file was not CSV, the only other columns are id and size.
/// FailedPrecondition: an id or a pool name cannot be written in CSV.
absl::StatusOr<std::string> WritePlanCsv(const PlanFile& file, const planner::Plan& plan);

/// The problem as CSV. FailedPrecondition: CSV cannot express a part, which the message names.
absl::StatusOr<std::string> WriteProblemCsv(const PlanFile& file);

}  // namespace tenon

#endif  // TENON_PLANNER_FORMATS_PLAN_CSV_H_
