#include <string>
#include <string_view>

#include "report/extras.h"
#include "report/html_data.h"
#include "tenon_report_web.h"  // generated from web/

namespace tenon {

namespace {

/// JSON for use in a script element: without `<`, nothing can end the element.
std::string ForScript(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string ReportHtml(const MemoryReport& report) { return ReportHtml(report, {}); }

std::string ReportHtml(const MemoryReport& report, const ReportExtras& extras) {
  std::string out;
  out += web::kHead;
  out += "<style>\n";
  out += web::kStyle;
  out += "</style>\n</head>\n";
  out += web::kBody;
  out += "<script type=\"application/json\" id=\"report\">\n";
  out += ForScript(HtmlData(report, extras));
  out += "</script>\n<script>\n";
  out += web::kReport;
  for (const std::string_view script :
       {web::kUnits, web::kAbout, web::kCards, web::kTables, web::kLinks, web::kSvg, web::kPicture,
        web::kLabels, web::kMap, web::kTiles, web::kWhy, web::kGraph, web::kPools}) {
    out += "\n";
    out += script;
  }
  // The table of operators, for pages that have any.
  if (!report.operators.empty()) {
    out += "\n";
    out += web::kOperators;
  }
  out += "</script>\n</body>\n</html>\n";
  return out;
}

}  // namespace tenon
