#ifndef TENON_REPORT_REPORT_MEMBERS_H_
#define TENON_REPORT_REPORT_MEMBERS_H_

#include "report/extras.h"
#include "support/json_writer.h"

namespace tenon {

/// Writes the members of the report's JSON into the open object, in the writer's layout. Leaves out
/// the buffers: there may be very many, and JSON and HTML reports write them differently.
void WriteReportMembers(const MemoryReport& report, const ReportExtras& extras, JsonWriter& json);

}  // namespace tenon

#endif  // TENON_REPORT_REPORT_MEMBERS_H_
