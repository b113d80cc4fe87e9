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

// Planning problems as google/minimalloc keeps them: a header, then a line a buffer.
//
//   id,lower,upper,size,alignment,gaps,offset
//   b1,0,3,4,1,,
//   b2,3,9,16,8,4-6@0:8,
//
// Columns come in any order; id, size, and lower and upper or lifetimes must be there. `buffer_id`
// and `buffer` are other names of id, `start` and `begin` of lower; `end` is an upper that is still
// included (and so are the ends of gaps and lifetimes then). A gap is `lower-upper`, or
// `lower-upper@first:end` when the bytes from first to end stay in use. `lifetimes` has more than
// one, as `lower-upper`; lower and upper, if given as well, are those of the first and the last.
// `pools` are the names of pools, preferred first, `groups` those of groups, `kind` is
// intermediate, input, output or constant; bytes_read and bytes_written count accesses. Parts of a
// list stand between blanks. `offset` fixes the buffer there, `pool` in that pool. Every field but
// id and size may be empty.

namespace tenon {

/// The columns that there are.
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

/// Which field of a line is in which column.
struct PlanCsvColumns {
  static constexpr size_t kAbsent = static_cast<size_t>(-1);
  std::array<size_t, kPlanColumns> field;

  PlanCsvColumns() { field.fill(kAbsent); }
  bool Has(PlanColumn column) const { return field[static_cast<size_t>(column)] != kAbsent; }
  /// The text of the column in `line`; empty if it has none.
  std::string_view Of(PlanColumn column, std::string_view line) const;
};

struct PlanCsvOptions {
  /// The pools, if they are known.
  std::vector<planner::Pool> pools = {};
  /// The file is an answer: only id and offset must be there, and each line has its offset.
  bool is_plan = false;
  /// What a problem must have is asked of an answer, too.
  bool is_problem = false;
};

/// A file that was read.
struct PlanCsv : PlanFile {
  PlanCsvColumns columns;
  /// Of an answer: where its buffers go.
  std::vector<planner::Placement> placements;
};

/// Reads a problem, or an answer. All that is wrong with it is reported, at its place; nullopt
/// then.
std::optional<PlanCsv> ParsePlanCsv(SourceManager& sources, std::string_view name,
                                    std::string_view text, std::shared_ptr<const void> owner,
                                    Diagnostics& diagnostics, const PlanCsvOptions& options = {});

/// The lines of the problem with the column `offset` at the end, and `pool` before it if there are
/// several. For a file that was no CSV, the columns are id, size and these. FailedPrecondition: an
/// id or the name of a pool cannot stand in a table.
absl::StatusOr<std::string> WritePlanCsv(const PlanFile& file, const planner::Plan& plan);

/// The problem as CSV. FailedPrecondition: it has what a table cannot say, named in the message.
absl::StatusOr<std::string> WriteProblemCsv(const PlanFile& file);

}  // namespace tenon

#endif  // TENON_PLANNER_FORMATS_PLAN_CSV_H_
