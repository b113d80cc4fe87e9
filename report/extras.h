#ifndef TENON_REPORT_EXTRAS_H_
#define TENON_REPORT_EXTRAS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/diff.h"
#include "report/report.h"
#include "report/why.h"
#include "support/json_writer.h"

namespace tenon {

/// How the planner found a plan.
struct ReportSearch {
  /// The names of the methods that determined the sizes of pools (planner/methods.h), separated by
  /// commas.
  std::string found_by;
  /// The placements that the search tried.
  std::optional<int64_t> nodes;
  /// The time of reading and planning.
  std::optional<double> seconds;

  static void Members(const auto& list) {
    list.Derived("found_by", &ReportSearch::found_by);
    list.DerivedIfSet("nodes", &ReportSearch::nodes);
    list.DerivedIfSet("seconds", &ReportSearch::seconds);
  }
};

/// Optional additions to the JSON and HTML reports.
struct ReportExtras {
  /// Explanations of the peaks of some pools.
  std::vector<PeakWhy> why = {};
  /// The differences from another report; may be null.
  const ReportDiff* diff = nullptr;
  /// The effects of planning options on the workspace; empty if no option was tried.
  std::vector<OptionEffect> options = {};
  /// How a plan of `tenon plan` was found; absent for modules.
  std::optional<ReportSearch> search = {};
};

/// Like the functions of report.h, with additions.
std::string ReportJson(const MemoryReport& report, const ReportExtras& extras);
std::string ReportHtml(const MemoryReport& report, const ReportExtras& extras);

/// Writes the members of the report's JSON into the open object, in the writer's layout. Leaves out
/// the buffers: there may be very many, and JSON and HTML reports write them differently.
void WriteReportMembers(const MemoryReport& report, const ReportExtras& extras, JsonWriter& json);

}  // namespace tenon

#endif  // TENON_REPORT_EXTRAS_H_
