#ifndef TENON_REPORT_SVG_H_
#define TENON_REPORT_SVG_H_

#include <string>

#include "report/report.h"

namespace tenon {

/// The address maps of all workspace pools as one SVG picture, for papers and slides: addresses
/// upwards, time to the right (operators of equal width, if the report has several). Lines show the
/// pool's size, its lower bound, and the live bytes. It uses neither scripts nor files.
std::string ReportSvg(const MemoryReport& report);

}  // namespace tenon

#endif  // TENON_REPORT_SVG_H_
