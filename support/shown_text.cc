#include "support/shown_text.h"

#include <iterator>

#include "fmt/format.h"

namespace tenon {

namespace {

unsigned char ByteAt(std::string_view text, size_t index) {
  return static_cast<unsigned char>(text[index]);
}

/// Whether there is a character from U+0080 to U+009F in UTF-8 at `at`. Terminals treat U+009B as
/// the start of an escape sequence, like ESC [.
bool IsWideControl(std::string_view text, size_t at) {
  return ByteAt(text, at) == 0xC2 && at + 1 < text.size() && ByteAt(text, at + 1) >= 0x80 &&
         ByteAt(text, at + 1) < 0xA0;
}

std::string Escape(std::string_view text, bool keep_lines) {
  std::string shown;
  shown.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char byte = ByteAt(text, i);
    if (IsWideControl(text, i)) {
      fmt::format_to(std::back_inserter(shown), "\\u{:04x}", ByteAt(text, ++i));
    } else if ((byte >= ' ' && byte != 0x7f) || (keep_lines && (byte == '\n' || byte == '\t'))) {
      shown += text[i];
    } else if (byte == '\n' || byte == '\r' || byte == '\t') {
      shown += byte == '\n' ? "\\n" : byte == '\r' ? "\\r" : "\\t";
    } else {
      fmt::format_to(std::back_inserter(shown), "\\x{:02x}", byte);
    }
  }
  return shown;
}

}  // namespace

std::string EscapeControls(std::string_view text) { return Escape(text, /*keep_lines=*/false); }

std::string EscapeControlsOfLines(std::string_view text) {
  return Escape(text, /*keep_lines=*/true);
}

std::string ShownText(std::string_view text) {
  constexpr size_t kLongest = 60;
  std::string shown = EscapeControls(text.substr(0, kLongest));
  return text.size() > kLongest ? shown + "..." : shown;
}

}  // namespace tenon
