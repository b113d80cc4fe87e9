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

/// The longest text that is accepted as a report.
inline constexpr size_t kMostReportBytes = size_t{1} << 26;

/// Reads the output of ReportJson, also of older Tenon versions or other programs. Unknown members
/// are ignored, and derived values (sums, peaks) are recomputed. Models, the uses of buffers and
/// the lines of ticks are lost. Reports every error at its place in the text, which becomes the
/// source `name`, and returns nullopt if there are any.
std::optional<MemoryReport> ReadReportJson(SourceManager& sources, std::string_view name,
                                           std::string_view text, std::shared_ptr<const void> owner,
                                           Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_REPORT_READ_JSON_H_
