#include <string>
#include <string_view>

#include "report/extras.h"
#include "report/html_data.h"
#include "report/html_page.h"

namespace tenon {

namespace {

/// JSON that may stand in a script element: without `<`, nothing can end the element.
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
  out += "</script>\n</body>\n</html>\n";
  return out;
}

}  // namespace tenon
