#ifndef TENON_REPORT_READ_JSON_H_
#define TENON_REPORT_READ_JSON_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "report/report.h"
#include "support/diagnostics.h"
#include "support/source.h"

namespace tenon {

/// Longest text that is taken for a report.
inline constexpr size_t kMostReportBytes = size_t{1} << 26;

/// Reads what ReportJson wrote, here or by an older Tenon, or by somebody else: members that are
/// not known are passed over, and what the report can compute (sums, peaks) is computed anew.
/// Missing are then only the uses of buffers and the lines of ticks. All that is wrong is reported
/// at its place in the text, which becomes the source `name`; nullopt then.
std::optional<MemoryReport> ReadReportJson(SourceManager& sources, std::string_view name,
                                           std::string_view text, std::shared_ptr<const void> owner,
                                           Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_REPORT_READ_JSON_H_
