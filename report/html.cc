#include <string>
#include <string_view>

#include "report/extras.h"
#include "report/html_data.h"
#include "report/html_page.h"

namespace tenon {

namespace {

/// The table of operators, for pages that have any.
constexpr std::string_view kOperatorScript = R"js(
document.getElementById("tables").prepend(table("Operators", report.operators, [
  {title: "operator", value: (o) => o.name},
  {title: "kind", value: (o) => o.kind},
  {title: "MACs", value: (o) => o.macs, kind: "number", first: true},
  {title: "elements", value: (o) => o.elements, kind: "number"},
  {title: "target", value: (o) => o.target},
  {title: "why not", value: (o) => o.why_not, kind: "wide"},
]));
)js";

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
  out += kHtmlHead;
  out += kHtmlStyle;
  out += kHtmlBody;
  out += "<script type=\"application/json\" id=\"report\">\n";
  out += ForScript(HtmlData(report, extras));
  out += "</script>\n<script>\n";
  out += kHtmlScript;
  out += kHtmlPictureScript;
  out += kHtmlMapScript;
  out += kHtmlTileScript;
  out += kHtmlWhyScript;
  out += kHtmlPoolScript;
  if (!report.operators.empty()) out += kOperatorScript;
  out += "</script>\n</body>\n</html>\n";
  return out;
}

}  // namespace tenon
