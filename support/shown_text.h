#ifndef TENON_SUPPORT_SHOWN_TEXT_H_
#define TENON_SUPPORT_SHOWN_TEXT_H_

#include <string>
#include <string_view>

// Text of others on a terminal: without the control characters that would change the terminal.

namespace tenon {

/// Writes the control characters of `text` as escapes: `\n`, `\x1b`, `\u009b`. Control characters
/// are the bytes below a blank, DEL, and U+0080 to U+009F in UTF-8.
std::string EscapeControls(std::string_view text);

/// The same for a text of several lines: line ends and tabs stay.
std::string EscapeControlsOfLines(std::string_view text);

/// EscapeControls of a name, for a message: cut where it is long.
std::string ShownText(std::string_view text);

}  // namespace tenon

#endif  // TENON_SUPPORT_SHOWN_TEXT_H_
