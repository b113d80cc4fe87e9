#include "printer/literal.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "ir/dialect.h"

namespace tenon {

namespace {

bool IsPlainByte(char c) { return c >= ' ' && c <= '~' && c != '\\' && c != '"'; }

void AppendEscaped(Sink& sink, char c) {
  switch (c) {
    case '"':
      return sink.Append("\\\"");
    case '\\':
      return sink.Append("\\\\");
    case '\n':
      return sink.Append("\\n");
    case '\t':
      return sink.Append("\\t");
    case '\r':
      return sink.Append("\\r");
    default:
      break;
  }
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  sink.Append("\\x");
  sink.Append(kDigits[byte >> 4]);
  sink.Append(kDigits[byte & 15]);
}

}  // namespace

void AppendDType(Sink& sink, DataType dtype, Dialect dialect) {
  if (dtype.is_void()) return sink.Append("void");
  const bool is_tirx = IsTirx(dialect);
  if (dtype.is_bool() && (dtype.is_scalar() || is_tirx)) {
    sink.Append("bool");
  } else {
    sink.Append(TypeCodeName(dtype.code(), dialect));
    const bool says_bits = is_tirx && dtype.is_float8();
    if (dtype.code() != TypeCode::kHandle && !says_bits) sink.AppendInt(dtype.bits());
  }
  if (dtype.lanes() > 1) {
    sink.Append('x');
    sink.AppendInt(dtype.lanes());
  } else if (dtype.lanes() < 0) {
    sink.Append("xvscalex");
    sink.AppendInt(-dtype.lanes());
  }
}

void AppendFloat(Sink& sink, double value, Dialect dialect) {
  // The longest text is the largest double in full.
  constexpr size_t kLongest = 330;
  const bool finite = std::isfinite(value);
  if (!finite) sink.Append('"');
  char* const room = sink.Room(kLongest);
  if (!finite || dialect < Dialect::kV018 || std::nearbyint(value) != value) {
    // The standard formats infinities and NaN like printf, with signs.
    sink.Commit(std::to_chars(room, room + kLongest, value, std::chars_format::general, 17).ptr);
  } else {
    sink.Commit(std::to_chars(room, room + kLongest, value, std::chars_format::fixed, 1).ptr);
  }
  if (!finite) sink.Append('"');
}

void AppendQuoted(Sink& sink, std::string_view text) {
  sink.Append('"');
  while (!text.empty()) {
    const auto special = std::find_if_not(text.begin(), text.end(), IsPlainByte);
    const auto plain = static_cast<size_t>(special - text.begin());
    sink.Append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    AppendEscaped(sink, text[0]);
    text.remove_prefix(1);
  }
  sink.Append('"');
}

}  // namespace tenon
