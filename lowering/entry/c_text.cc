// Types and literals of C. Two sets of types: values have C's own, while elements of memory have
// types of the runtime header, which may alias each other.

#include "lowering/entry/c_text.h"

#include <fmt/format.h>

#include <cmath>

namespace tenon {

namespace {

/// Index of the width among 8, 16, 32, 64.
int WidthIndex(int bits) { return bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3; }

}  // namespace

std::string_view CType(DataType dtype) {
  static constexpr std::string_view kInts[] = {"int8_t", "int16_t", "int32_t", "int64_t"};
  static constexpr std::string_view kUInts[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t"};
  if (!dtype.is_scalar()) return "";
  if (dtype.is_int()) return kInts[WidthIndex(dtype.bits())];
  if (dtype.is_uint()) return kUInts[WidthIndex(dtype.bits())];
  if (dtype == DataType::Float(32)) return "float";
  if (dtype == DataType::Float(64)) return "double";
  if (dtype == DataType::Float(16) || dtype.is_bfloat16()) return "uint16_t";
  if (dtype.is_float8()) return "uint8_t";
  if (dtype.is_handle()) return "void*";
  return "";
}

std::string_view ElementType(DataType dtype) {
  static constexpr std::string_view kInts[] = {"tenon_int8", "tenon_int16", "tenon_int32",
                                               "tenon_int64"};
  static constexpr std::string_view kUInts[] = {"tenon_uint8", "tenon_uint16", "tenon_uint32",
                                                "tenon_uint64"};
  dtype = dtype.element();
  if (dtype.is_int()) return kInts[WidthIndex(dtype.bits())];
  if (dtype.is_uint()) return kUInts[WidthIndex(dtype.bits())];
  if (dtype == DataType::Float(32)) return "tenon_float32";
  if (dtype == DataType::Float(64)) return "tenon_float64";
  if (dtype == DataType::Float(16) || dtype.is_bfloat16()) return "tenon_uint16";
  if (dtype.is_float8()) return "tenon_uint8";
  return "void*";
}

std::string_view TypeSuffix(DataType dtype) {
  static constexpr std::string_view kInts[] = {"i8", "i16", "i32", "i64"};
  static constexpr std::string_view kUInts[] = {"u8", "u16", "u32", "u64"};
  if (dtype.is_int()) return kInts[WidthIndex(dtype.bits())];
  if (dtype.is_uint()) return kUInts[WidthIndex(dtype.bits())];
  return dtype.bits() == 64 ? "f64" : "f32";
}

std::string IntLiteral(int64_t value, DataType dtype) {
  if (dtype.is_bool()) return value != 0 ? "1" : "0";
  if (dtype.is_uint()) {
    const auto bits = static_cast<uint64_t>(value);
    return dtype.bits() == 64 ? fmt::format("UINT64_C({})", bits) : fmt::format("{}U", bits);
  }
  if (dtype.bits() == 64) {
    if (value == INT64_MIN) return "INT64_MIN";
    return value < 0 ? fmt::format("(-INT64_C({}))", -value) : fmt::format("INT64_C({})", value);
  }
  if (value == INT32_MIN) return "INT32_MIN";
  return value < 0 ? fmt::format("({})", value) : fmt::format("{}", value);
}

std::string FloatLiteral(double value, DataType dtype) {
  const bool single = dtype.bits() != 64;
  if (single) value = static_cast<double>(static_cast<float>(value));
  if (std::isnan(value)) return single ? "NAN" : "(double)NAN";
  if (std::isinf(value)) {
    const std::string_view infinity = single ? "INFINITY" : "(double)INFINITY";
    return value < 0 ? fmt::format("(-{})", infinity) : std::string(infinity);
  }
  std::string digits =
      single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (digits.find_first_of(".en") == std::string::npos) digits += ".0";
  if (single) digits += 'f';
  return std::signbit(value) ? fmt::format("({})", digits) : digits;
}

std::string CommentText(std::string_view text, size_t most) {
  std::string out;
  for (const char c : text.substr(0, most)) {
    const bool plain = c >= ' ' && c <= '~' && c != '\\' && c != '?';
    out += plain && !(c == '/' && !out.empty() && out.back() == '*') &&
                   !(c == '*' && !out.empty() && out.back() == '/')
               ? c
               : ' ';
  }
  return out;
}

std::string CSignature(std::string_view head, const std::vector<std::string>& params) {
  constexpr size_t kLineWidth = 100;
  if (params.empty()) return fmt::format("{}(void)", head);
  std::string line = fmt::format("{}(", head);
  for (size_t i = 0; i < params.size(); ++i)
    line += fmt::format("{}{}", i == 0 ? "" : ", ", params[i]);
  if (line.size() + 3 <= kLineWidth) return line + ")";
  line = fmt::format("{}(", head);
  for (size_t i = 0; i < params.size(); ++i)
    line += fmt::format("{}\n    {}", i == 0 ? "" : ",", params[i]);
  return line + ")";
}

}  // namespace tenon
