#ifndef TENON_REPORT_MERGE_H_
#define TENON_REPORT_MERGE_H_

#include <string>
#include <vector>

#include "report/report.h"

namespace tenon {

/// The report on one of several models.
struct NamedReport {
  /// A name that identifies the model, e.g. `kws`.
  std::string name;
  MemoryReport report;
};

/// Merges the reports of models that run in turn, as if one ran after the other. If they share
/// their workspace, each workspace pool of the caller becomes a single pool with the largest size
/// of any model. Its bound is the largest bound, since no plan of one model is smaller than that
/// model's bound. Any other pool with a limit also becomes a single pool. It has a part for each
/// model, one after the other in the order of the reports. Everything else belongs to one model and
/// gets its name as a prefix: `kws.global_const_workspace`.
MemoryReport MergeReports(std::vector<NamedReport> reports, bool shares_workspace = true);

/// The effect of sharing: the bytes of the shared workspace if every model had its own copy, and
/// the bytes it has.
struct SharedBytes {
  int64_t separate = 0;
  int64_t shared = 0;
  int64_t saved() const { return separate - shared; }

  static void Members(const auto& list) {
    list.Derived("separate_bytes", &SharedBytes::separate);
    list.Derived("shared_bytes", &SharedBytes::shared);
    list.Derived("saved_bytes", &SharedBytes::saved);
  }
};

}  // namespace tenon

#endif  // TENON_REPORT_MERGE_H_
