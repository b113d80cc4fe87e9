#ifndef TENON_REPORT_MERGE_H_
#define TENON_REPORT_MERGE_H_

#include <string>
#include <vector>

#include "report/report.h"

namespace tenon {

/// The report on one of several models.
struct NamedReport {
  /// What tells it from the others: `kws`.
  std::string name;
  MemoryReport report;
};

/// One report on models that run in turn in the same workspace: as if one ran after the other.
/// Pools of the caller for workspace are one pool each, as large as the largest need; no plan of
/// one model alone is smaller than its bound, so the largest bound is that of the pool. All else is
/// a model's own, and has its name in front: `kws.global_const_workspace`.
MemoryReport MergeReports(std::vector<NamedReport> reports);

/// What sharing is worth: bytes of the workspace that is shared if every model had its own, and as
/// it is.
struct SharedBytes {
  int64_t separate = 0;
  int64_t shared = 0;
};
SharedBytes SharedBytesOf(const MemoryReport& report);

}  // namespace tenon

#endif  // TENON_REPORT_MERGE_H_
