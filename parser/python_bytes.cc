#include "parser/python_bytes.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace tenon {
namespace {

struct Piece {
  size_t length = 1;     // in the literal
  char byte = 0;         // the byte that it encodes
  bool nothing = false;  // a joined line
};

// The escape at the start of `body`, which is a backslash.
Piece ReadEscape(std::string_view body) {
  if (body.size() < 2) return {.length = 1, .byte = '\\', .nothing = false};
  constexpr std::string_view kNames = "\\'\"abfnrtv";
  constexpr std::string_view kBytes = "\\'\"\a\b\f\n\r\t\v";
  const size_t simple = kNames.find(body[1]);
  if (simple != std::string_view::npos) {
    return {.length = 2, .byte = kBytes[simple], .nothing = false};
  }
  if (body[1] == '\n') return {.length = 2, .byte = 0, .nothing = true};
  const bool hex = body[1] == 'x';
  const char* begin = body.data() + (hex ? 2 : 1);
  const size_t most = std::min<size_t>(hex ? 2 : 3, body.size() - (hex ? 2 : 1));
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(begin, begin + most, value, hex ? 16 : 8);
  if (error == std::errc() && *begin != '-' && (!hex || end == begin + 2)) {
    return {.length = static_cast<size_t>(end - body.data()),

            .byte = static_cast<char>(value),
            .nothing = false};
  }
  return {.length = 1, .byte = '\\', .nothing = false};  // Python keeps it
}

}  // namespace

std::string DecodePythonBytes(std::string_view body) {
  std::string result;
  result.reserve(body.size());
  while (true) {
    const size_t escape = body.find('\\');
    result.append(body.substr(0, escape));
    if (escape == std::string_view::npos) return result;
    body.remove_prefix(escape);
    const Piece piece = ReadEscape(body);
    if (!piece.nothing) result += piece.byte;
    body.remove_prefix(piece.length);
  }
}

size_t PythonSourceOffset(std::string_view body, size_t decoded_offset) {
  size_t at = 0;
  size_t decoded = 0;
  while (at < body.size() && decoded < decoded_offset) {
    if (body[at] != '\\') {
      ++at;
      ++decoded;
      continue;
    }
    const Piece piece = ReadEscape(body.substr(at));
    at += piece.length;
    if (!piece.nothing) ++decoded;
  }
  return at;
}

}  // namespace tenon
