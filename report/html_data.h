#ifndef TENON_REPORT_HTML_DATA_H_
#define TENON_REPORT_HTML_DATA_H_

#include <string>

#include "report/extras.h"

namespace tenon {

/// The data of the HTML page: the report's JSON on one line, with buffers as columns. A column is a
/// list with one entry per buffer, or a single value if all are equal. Texts and shapes are indexes
/// into lists without duplicates. 60,000 buffers take 2 MB instead of 13 MB.
std::string HtmlData(const MemoryReport& report, const ReportExtras& extras);

}  // namespace tenon

#endif  // TENON_REPORT_HTML_DATA_H_
