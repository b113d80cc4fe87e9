#ifndef TENON_REPORT_JSON_TREE_H_
#define TENON_REPORT_JSON_TREE_H_

#include <nlohmann/json.hpp>

#include "report/extras.h"

namespace tenon {

/// The report as JSON has it, but for its buffers, of which there may be very many: those who write
/// JSON have forms of their own for them.
nlohmann::ordered_json ReportTree(const MemoryReport& report, const ReportExtras& extras);

}  // namespace tenon

#endif  // TENON_REPORT_JSON_TREE_H_
