#ifndef TENON_REPORT_HTML_PAGE_H_
#define TENON_REPORT_HTML_PAGE_H_

#include <string_view>

// The pieces of the HTML report that do not depend on the model. The page reads the report's JSON
// from a script element and draws on canvases, so that tens of thousands of buffers stay quick.

namespace tenon {

/// From the doctype to the title.
extern const std::string_view kHtmlHead;
/// Colours for light and dark, layout; closes the head.
extern const std::string_view kHtmlStyle;
/// The elements that the scripts fill.
extern const std::string_view kHtmlBody;
/// Summary, tables, tooltip.
extern const std::string_view kHtmlScript;
/// The address/lifetime maps, and the tiles of constant pools.
extern const std::string_view kHtmlMapScript;
/// Puts them on the page, a card a pool.
extern const std::string_view kHtmlPoolScript;

}  // namespace tenon

#endif  // TENON_REPORT_HTML_PAGE_H_
