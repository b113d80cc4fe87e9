#ifndef TENON_DRIVER_PLAN_CSV_H_
#define TENON_DRIVER_PLAN_CSV_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/problem.h"
#include "support/diagnostics.h"
#include "support/source.h"

// Planning problems as google/minimalloc keeps them: a header, then a line a buffer.
//
//   id,lower,upper,size,alignment,gaps,offset
//   b1,0,3,4,1,,
//   b2,3,9,16,8,4-6@0:8,
//
// Columns come in any order; id, lower, upper and size must be there. `buffer_id` and `buffer` are
// other names of id, `start` and `begin` of lower; `end` is an upper that is still included (and
// so are the ends of gaps then). A gap is `lower-upper`, or `lower-upper@first:end` when the bytes
// from first to end stay in use; gaps are parted by blanks. An offset fixes the buffer there; it
// may be left empty.

namespace tenon {

/// A file that was read: one pool, unlimited, and a buffer a row.
struct PlanCsv {
  planner::Problem problem;
  /// The header and the lines of the buffers, as written, without the column `offset`.
  std::vector<std::string> lines;
};

/// Reads a problem. All that is wrong with it is reported, at its place; nullopt then.
std::optional<PlanCsv> ParsePlanCsv(SourceManager& sources, std::string_view name,
                                    std::string_view text, std::shared_ptr<const void> owner,
                                    Diagnostics& diagnostics);

/// The lines of the problem with the column `offset` at the end.
std::string WritePlanCsv(const PlanCsv& csv, const planner::Plan& plan);

}  // namespace tenon

#endif  // TENON_DRIVER_PLAN_CSV_H_
