#ifndef TENON_SUPPORT_SHOWN_TEXT_H_
#define TENON_SUPPORT_SHOWN_TEXT_H_

#include <string>
#include <string_view>

// Shows untrusted text on a terminal, without control characters that would affect the terminal.

namespace tenon {

/// Writes the control characters of `text` as escapes: `\n`, `\x1b`, `\u009b`. Control characters
/// are the bytes below a blank, DEL, and U+0080 to U+009F in UTF-8.
std::string EscapeControls(std::string_view text);

/// As EscapeControls, for text of several lines: keeps line ends and tabs.
std::string EscapeControlsOfLines(std::string_view text);

/// EscapeControls of a name for a message, truncated if it is long.
std::string ShownText(std::string_view text);

}  // namespace tenon

#endif  // TENON_SUPPORT_SHOWN_TEXT_H_
