#ifndef TENON_REPORT_HTML_DATA_H_
#define TENON_REPORT_HTML_DATA_H_

#include <string>

#include "report/extras.h"

namespace tenon {

/// What the page reads: the report's JSON in one line, with buffers as columns. A column is a list
/// with an entry a buffer, or a value that all have; texts and shapes are indexes into lists of
/// different ones. 60,000 buffers take 2 MB so, instead of 13.
std::string HtmlData(const MemoryReport& report, const ReportExtras& extras);

}  // namespace tenon

#endif  // TENON_REPORT_HTML_DATA_H_
