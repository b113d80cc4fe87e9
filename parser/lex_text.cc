#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <string>

#include "parser/lexer.h"

namespace tenon {

namespace {

/// The length of the UTF-8 sequence at `pos`; 0 for invalid bytes, including overlong forms,
/// surrogates and code points beyond U+10FFFF.
size_t SequenceLength(std::string_view text, size_t pos) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned lead = byte(pos);
  const auto trail = [&](size_t i) { return (byte(pos + i) & 0xC0u) == 0x80u; };
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return trail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!trail(1) || !trail(2)) return 0;
    if (lead == 0xE0 && byte(pos + 1) < 0xA0) return 0;
    if (lead == 0xED && byte(pos + 1) > 0x9F) return 0;
    return 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!trail(1) || !trail(2) || !trail(3)) return 0;
    if (lead == 0xF0 && byte(pos + 1) < 0x90) return 0;
    if (lead == 0xF4 && byte(pos + 1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

/// True if the eight bytes at `data` are ASCII and not zero.
bool AllPlain(const char* data) {
  uint64_t word;
  std::memcpy(&word, data, 8);
  constexpr uint64_t kHigh = 0x8080808080808080ULL;
  constexpr uint64_t kOnes = 0x0101010101010101ULL;
  return (word & kHigh) == 0 && ((word - kOnes) & ~word & kHigh) == 0;
}

void AppendUtf8(uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

/// Takes `digits` hexadecimal digits off the front of `text`.
bool TakeHex(std::string_view& text, size_t digits, uint32_t* value) {
  if (text.size() < digits) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, *value, 16);
  if (error != std::errc() || end != text.data() + digits) return false;
  text.remove_prefix(digits);
  return true;
}

/// Decodes the escape after a backslash; `rest` starts at the letter.
bool DecodeEscape(std::string_view& rest, std::string& out) {
  const char c = rest.front();
  constexpr std::string_view kPlain = "\\'\"abfnrtv";
  constexpr std::string_view kMeaning = "\\'\"\a\b\f\n\r\t\v";
  if (const size_t at = kPlain.find(c); at != std::string_view::npos) {
    out += kMeaning[at];
    rest.remove_prefix(1);
    return true;
  }
  if (c == '\n') {
    rest.remove_prefix(1);
    return true;
  }
  if (c >= '0' && c <= '7') {
    uint32_t value = 0;
    for (int i = 0; i < 3 && !rest.empty() && rest.front() >= '0' && rest.front() <= '7'; ++i) {
      value = value * 8 + static_cast<uint32_t>(rest.front() - '0');
      rest.remove_prefix(1);
    }
    out += static_cast<char>(value & 0xFF);
    return true;
  }
  uint32_t value = 0;
  if (c == 'x') {
    rest.remove_prefix(1);
    // A byte, not a code point: TVM's printer writes the bytes of a string in this way.
    if (!TakeHex(rest, 2, &value)) return false;
    out += static_cast<char>(value);
    return true;
  }
  if (c == 'u' || c == 'U') {
    rest.remove_prefix(1);
    if (!TakeHex(rest, c == 'u' ? 4 : 8, &value)) return false;
    if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return false;
    AppendUtf8(value, out);
    return true;
  }
  if (c == 'N') return false;
  out += '\\';  // Python keeps a backslash that starts no escape
  return true;
}

}  // namespace

bool CheckEncoding(std::string_view text, uint32_t base, Diagnostics& diagnostics) {
  constexpr int kMostReports = 20;
  int reports = 0;
  size_t pos = 0;
  while (pos < text.size() && reports < kMostReports) {
    if (pos + 8 <= text.size() && AllPlain(text.data() + pos)) {
      pos += 8;
      continue;
    }
    const size_t length = text[pos] == '\0' ? 0 : SequenceLength(text, pos);
    if (length == 0) {
      const auto at = base + static_cast<uint32_t>(pos);
      const auto byte = static_cast<unsigned char>(text[pos]);
      diagnostics.Error(DiagnosticKind::kEncoding, {at, at + 1},
                        byte == 0 ? std::string("NUL byte in the text")
                                  : fmt::format("byte 0x{:02X} is not valid UTF-8", byte));
      ++reports;
      // A run of bad bytes gives one error.
      while (pos < text.size() && (text[pos] == '\0' || (text[pos] & 0x80) != 0)) ++pos;
      continue;
    }
    pos += length;
  }
  return reports == 0;
}

bool DecodeString(std::string_view literal, SourceRange range, Arena& arena,
                  Diagnostics& diagnostics, std::string_view* result) {
  const size_t prefix = literal.find_first_of("\"'");
  bool raw = false;
  for (char c : literal.substr(0, prefix)) {
    if (c == 'r' || c == 'R') raw = true;
    if (c == 'f' || c == 'F' || c == 'b' || c == 'B') {
      diagnostics.Error(DiagnosticKind::kUnsupported, range,
                        fmt::format("string prefix `{}` is not supported", c));
      return false;
    }
  }
  literal.remove_prefix(prefix);
  const size_t quotes =
      literal.size() >= 6 && literal[1] == literal[0] && literal[2] == literal[0] ? 3 : 1;
  std::string_view body = literal.substr(quotes, literal.size() - 2 * quotes);
  if (raw || body.find('\\') == std::string_view::npos) {
    *result = body;
    return true;
  }
  std::string text;
  text.reserve(body.size());
  while (!body.empty()) {
    const size_t backslash = body.find('\\');
    text += body.substr(0, backslash);
    if (backslash == std::string_view::npos) break;
    body.remove_prefix(backslash);
    const auto begin = range.end - static_cast<uint32_t>(quotes + body.size());
    body.remove_prefix(1);
    if (!DecodeEscape(body, text)) {
      diagnostics.Error(DiagnosticKind::kLiteral, {begin, begin + 2}, "invalid escape in a string");
      return false;
    }
  }
  *result = arena.Copy(text);
  return true;
}

std::string Describe(const Lexer& lexer, const Token& token) {
  switch (token.kind) {
    case Tok::kEnd:
      return "end of text";
    case Tok::kNewline:
      return "end of line";
    case Tok::kIndent:
      return "indentation";
    case Tok::kDedent:
      return "end of the block";
    default:
      break;
  }
  constexpr size_t kMost = 40;
  const std::string_view text = lexer.Text(token);
  if (text.size() > kMost) return fmt::format("`{}...`", text.substr(0, kMost));
  return fmt::format("`{}`", text);
}

}  // namespace tenon
