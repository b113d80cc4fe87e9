#ifndef TENON_REPORT_HTML_PAGE_H_
#define TENON_REPORT_HTML_PAGE_H_

#include <string_view>

// The pieces of the HTML report that do not depend on the model. The page reads its data (see
// html_data.h) from a script element and draws on canvases, so that tens of thousands of buffers
// stay quick: what is drawn is kept as a picture, on which the pointer's buffer is drawn again, and
// an array of the picture's points knows which buffer is where.

namespace tenon {

/// From the doctype to the title.
extern const std::string_view kHtmlHead;
/// Colours for light and dark, layout; closes the head.
extern const std::string_view kHtmlStyle;
/// The elements that the scripts fill.
extern const std::string_view kHtmlBody;
/// Summary, tables, tooltip.
extern const std::string_view kHtmlScript;
/// Colours, and the canvases that maps and tiles are drawn on.
extern const std::string_view kHtmlPictureScript;
/// The address/lifetime maps.
extern const std::string_view kHtmlMapScript;
/// The tiles of constant pools.
extern const std::string_view kHtmlTileScript;
/// What would lower a peak, and what is not as in another report.
extern const std::string_view kHtmlWhyScript;
/// Puts them on the page, a card a pool.
extern const std::string_view kHtmlPoolScript;

}  // namespace tenon

#endif  // TENON_REPORT_HTML_PAGE_H_
