#ifndef TENON_PRINTER_ESCAPED_WRITER_H_
#define TENON_PRINTER_ESCAPED_WRITER_H_

#include <fmt/format.h>

#include <string_view>

#include "printer/sink.h"

namespace tenon {

/// JSON inside the Python literal of the metadata: JSON's special characters are escaped once more.
class EscapedWriter {
 public:
  explicit EscapedWriter(Sink& sink) : sink_(sink) {}

  /// Appends text that is already escaped.
  void Raw(std::string_view text) { sink_.Append(text); }
  /// Appends a JSON string with its quotes.
  void String(std::string_view text) {
    sink_.Append("\\\"");
    size_t plain = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') continue;
      sink_.Append(text.substr(plain, i - plain));
      plain = i + 1;
      Special(c);
    }
    sink_.Append(text.substr(plain));
    sink_.Append("\\\"");
  }
  /// Appends a string and a colon.
  void Key(std::string_view key) {
    String(key);
    Raw(": ");
  }

 private:
  void Special(char c) {
    switch (c) {
      case '"':
        return Raw("\\\\\\\"");
      case '\\':
        return Raw("\\\\\\\\");
      case '\n':
        return Raw("\\\\n");
      case '\r':
        return Raw("\\\\r");
      case '\t':
        return Raw("\\\\t");
      default:
        break;
    }
    const auto byte = static_cast<unsigned char>(c);
    // JSON does not allow control characters; bytes from 0x80 on belong to UTF-8 sequences.
    Raw(byte < 0x20 ? fmt::format("\\\\u{:04x}", byte) : fmt::format("\\x{:02X}", byte));
  }

  Sink& sink_;
};

}  // namespace tenon

#endif  // TENON_PRINTER_ESCAPED_WRITER_H_
