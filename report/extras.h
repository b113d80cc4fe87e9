#ifndef TENON_REPORT_EXTRAS_H_
#define TENON_REPORT_EXTRAS_H_

#include <string>
#include <vector>

#include "report/diff.h"
#include "report/report.h"
#include "report/why.h"

namespace tenon {

/// What JSON and HTML may have beyond the report.
struct ReportExtras {
  /// Explanations of peaks, of some pools.
  std::vector<PeakWhy> why;
  /// What is not as in another report; may be null.
  const ReportDiff* diff = nullptr;
  /// What options of planning do to the workspace; empty where none was tried.
  std::vector<OptionEffect> options = {};
};

/// As the functions of report.h, with these.
std::string ReportJson(const MemoryReport& report, const ReportExtras& extras);
std::string ReportHtml(const MemoryReport& report, const ReportExtras& extras);

}  // namespace tenon

#endif  // TENON_REPORT_EXTRAS_H_
