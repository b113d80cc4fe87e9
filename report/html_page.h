#ifndef TENON_REPORT_HTML_PAGE_H_
#define TENON_REPORT_HTML_PAGE_H_

#include <string_view>

// The pieces of the HTML report that do not depend on the model. The page reads its data
// (html_data.h) from a script element and draws on canvases, so that it stays quick with tens of
// thousands of buffers. It caches the drawing as an image and only redraws the buffer under the
// pointer on top. An array with an entry per pixel gives the buffer at the pointer.

namespace tenon {

/// From the doctype to the title.
extern const std::string_view kHtmlHead;
/// Colours for light and dark, layout; closes the head.
extern const std::string_view kHtmlStyle;
/// The elements that the scripts fill.
extern const std::string_view kHtmlBody;
/// The summary, tables and tooltip.
extern const std::string_view kHtmlScript;
/// The colours, and the canvases for maps and tiles.
extern const std::string_view kHtmlPictureScript;
/// The address/lifetime maps.
extern const std::string_view kHtmlMapScript;
/// The tiles of constant pools.
extern const std::string_view kHtmlTileScript;
/// Changes that would lower a peak, and the differences from another report.
extern const std::string_view kHtmlWhyScript;
/// Puts the parts on the page, one card per pool.
extern const std::string_view kHtmlPoolScript;

}  // namespace tenon

#endif  // TENON_REPORT_HTML_PAGE_H_
