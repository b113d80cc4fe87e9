#include "parser/constant_element.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "support/half.h"

namespace tenon {
namespace {

constexpr size_t kMostQuoted = 40;

std::string Quoted(std::string_view text) {
  if (text.size() <= kMostQuoted) return fmt::format("`{}`", text);
  return fmt::format("`{}...`", text.substr(0, kMostQuoted));
}

ElementResult Bits(uint64_t bits) {
  return {.ok = true, .malformed = false, .bits = bits, .message = {}};
}

ElementResult Wrong(std::string message) {
  return {.ok = false, .malformed = false, .bits = 0, .message = std::move(message)};
}

ElementResult Malformed(std::string_view text, DataType dtype) {
  return {.ok = false,
          .malformed = true,
          .bits = 0,
          .message = fmt::format("{} is not a number, expected an element of {}", Quoted(text),
                                 dtype.ToString())};
}

ElementResult OutOfRange(std::string_view text, DataType dtype) {
  if (!dtype.is_integer()) {
    return Wrong(fmt::format("{} is out of range of {}", Quoted(text), dtype.ToString()));
  }
  const IntegerRange range = RangeOf(dtype);
  return Wrong(fmt::format("{} is out of range of {}, {}{} to {}", Quoted(text), dtype.ToString(),
                           range.least_magnitude == 0 ? "" : "-", range.least_magnitude,
                           range.most));
}

struct Magnitude {
  bool is_integer = false;
  bool overflow = false;
  uint64_t value = 0;
};

// `text` without its sign. Python refuses leading zeros except in zero itself.
Magnitude ReadMagnitude(std::string_view text) {
  int base = 10;
  if (text.size() > 2 && text[0] == '0') {
    const char mark = static_cast<char>(text[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    if (base != 10) text.remove_prefix(2);
  }
  if (text.empty() || text[0] == '-' || text[0] == '+') return {};
  const size_t nonzero = text.find_first_not_of('0');
  if (base == 10 && text.size() > 1 && nonzero != 0 && nonzero != std::string_view::npos) return {};
  Magnitude result;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), result.value, base);
  result.is_integer = end == text.data() + text.size() && error != std::errc::invalid_argument;
  result.overflow = error == std::errc::result_out_of_range;
  return result;
}

bool LooksDecimal(std::string_view text) {
  if (!text.empty() && text[0] == '-') text.remove_prefix(1);
  if (text.empty()) return false;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return digit(text[0]) || (text[0] == '.' && text.size() > 1 && digit(text[1]));
}

// Like from_chars, with results for numbers out of range: a signed zero or an infinity.
template <typename Float>
std::optional<Float> FromDecimal(std::string_view text) {
  if (!LooksDecimal(text)) return std::nullopt;
  Float value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (end != last || error == std::errc::invalid_argument) return std::nullopt;
  if (error != std::errc::result_out_of_range) return value;
  const bool negative = text[0] == '-';
  // Out of range. The digits and the exponent decide in which direction: scale the leading digit's
  // place.
  const size_t exponent_at = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, exponent_at);
  int64_t exponent = 0;
  if (exponent_at != std::string_view::npos) {
    std::string_view digits = text.substr(exponent_at + 1);
    if (!digits.empty() && digits[0] == '+') digits.remove_prefix(1);
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (parsed.ec == std::errc::result_out_of_range) {
      exponent = digits[0] == '-' ? std::numeric_limits<int32_t>::min() * int64_t{4096}
                                  : std::numeric_limits<int32_t>::max() * int64_t{4096};
    }
  }
  const size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return negative ? -Float{0} : Float{0};
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  const bool large = static_cast<int64_t>(point) - static_cast<int64_t>(first) + exponent > 0;
  const Float magnitude = large ? std::numeric_limits<Float>::infinity() : Float{0};
  return negative ? -magnitude : magnitude;
}

uint64_t SmallFromDouble(double value, DataType dtype) {
  if (dtype.code() == TypeCode::kFloat) return Float16FromDouble(value);
  if (dtype.code() == TypeCode::kBFloat) return BFloat16FromDouble(value);
  if (dtype.code() == TypeCode::kE4M3Float) return Float8E4M3FromDouble(value);
  return Float8E5M2FromDouble(value);
}

// The significant digits of decimal text without trailing zeros, and the place of the first one.
struct Digits {
  std::string digits;
  int64_t place = 0;
};

Digits DigitsOf(std::string_view text) {
  Digits result;
  int64_t exponent = 0;
  const size_t exponent_at = std::min(text.find_first_of("eE"), text.size());
  if (exponent_at != text.size()) {
    std::string_view tail = text.substr(exponent_at + 1);
    if (!tail.empty() && tail[0] == '+') tail.remove_prefix(1);
    std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
  }
  bool after_point = false;
  for (const char c : text.substr(0, exponent_at)) {
    if (c == '.') after_point = true;
    if (c < '0' || c > '9') continue;
    if (result.digits.empty() && c == '0') {
      if (after_point) --result.place;
      continue;
    }
    result.digits += c;
    if (!after_point) ++result.place;
  }
  result.place += exponent;
  result.digits.erase(result.digits.find_last_not_of('0') + 1);
  return result;
}

// The sign of |text| - |value|, exactly. `text` is decimal and close to `value`.
int CompareMagnitudes(std::string_view text, double value) {
  constexpr int kEveryDigit = 770;  // no double has more significant digits
  std::array<char, 800> buffer;
  const auto printed = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(value),
                                     std::chars_format::scientific, kEveryDigit);
  const Digits a = DigitsOf(text);
  const Digits b = DigitsOf({buffer.data(), printed.ptr});
  if (a.place != b.place) return a.place < b.place ? -1 : 1;
  return a.digits.compare(b.digits);
}

ElementResult ReadString(std::string_view text, DataType dtype) {
  const std::string_view inner = text.size() >= 2 ? text.substr(1, text.size() - 2) : "";
  const bool negative = !inner.empty() && inner[0] == '-';
  if (inner == "inf" || inner == "-inf") {
    if (dtype.code() == TypeCode::kE4M3Float) return OutOfRange(text, dtype);
    const double value = negative ? -std::numeric_limits<double>::infinity()
                                  : std::numeric_limits<double>::infinity();
    if (dtype == DataType::Float(64)) return Bits(std::bit_cast<uint64_t>(value));
    if (dtype == DataType::Float(32)) {
      return Bits(std::bit_cast<uint32_t>(static_cast<float>(value)));
    }
    return Bits(SmallFromDouble(value, dtype));
  }
  if (inner == "nan") {
    if (dtype == DataType::Float(64)) return Bits(uint64_t{0x7ff8} << 48);
    if (dtype == DataType::Float(32)) return Bits(0x7fc00000);
    return Bits(SmallFromDouble(std::numeric_limits<double>::quiet_NaN(), dtype));
  }
  if (inner.starts_with("nan(0x") && inner.ends_with(")")) {
    const std::string_view digits = inner.substr(6, inner.size() - 7);
    uint64_t bits = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
    const uint64_t sign = uint64_t{1} << (dtype.bits() - 1);
    if (error == std::errc() && end == digits.data() + digits.size() && !digits.empty() &&
        (dtype.bits() == 64 || bits >> dtype.bits() == 0) && IsNotFinite(bits, dtype)) {
      const ElementResult infinity = ReadString("\"inf\"", dtype);
      const bool is_infinity = infinity.ok && (bits & ~sign) == infinity.bits;
      if (!is_infinity) return Bits(bits);
    }
    return Wrong(
        fmt::format("{} does not hold the bits of a NaN of {}", Quoted(text), dtype.ToString()));
  }
  return Wrong(
      fmt::format("{} is not an element of {}, expected a number, \"inf\", \"-inf\" or \"nan\"",
                  Quoted(text), dtype.ToString()));
}

ElementResult ReadInteger(std::string_view text, DataType dtype) {
  const bool negative = text[0] == '-';
  const Magnitude magnitude = ReadMagnitude(negative || text[0] == '+' ? text.substr(1) : text);
  if (!magnitude.is_integer) {
    if (text[0] == '"' || text[0] == '\'' || text == "True" || text == "False" ||
        FromDecimal<double>(text)) {
      return Wrong(fmt::format("{} is not an integer, expected an element of {}", Quoted(text),
                               dtype.ToString()));
    }
    return Malformed(text, dtype);
  }
  const IntegerRange range = RangeOf(dtype);
  const uint64_t most = negative ? range.least_magnitude : range.most;
  if (magnitude.overflow || magnitude.value > most) return OutOfRange(text, dtype);
  return Bits(negative ? 0 - magnitude.value : magnitude.value);
}

ElementResult ReadFloat(std::string_view text, DataType dtype) {
  if (text[0] == '"' || text[0] == '\'') return ReadString(text, dtype);
  if (text[0] == '+') text.remove_prefix(1);
  const bool negative = !text.empty() && text[0] == '-';
  std::string integer;  // hexadecimal and its like become decimal first
  const std::string_view unsigned_text = text.substr(negative ? 1 : 0);
  if (unsigned_text.size() > 2 && unsigned_text[0] == '0' &&
      std::string_view("xXoObB").find(unsigned_text[1]) != std::string_view::npos) {
    const Magnitude magnitude = ReadMagnitude(unsigned_text);
    if (!magnitude.is_integer) return Malformed(text, dtype);
    if (magnitude.overflow) return OutOfRange(text, dtype);
    integer = fmt::format("{}{}", negative ? "-" : "", magnitude.value);
  }
  const std::string_view decimal = integer.empty() ? text : std::string_view(integer);
  std::optional<uint64_t> bits;
  if (dtype == DataType::Float(64)) {
    if (const auto value = FromDecimal<double>(decimal)) bits = std::bit_cast<uint64_t>(*value);
  } else if (dtype == DataType::Float(32)) {
    if (const auto value = FromDecimal<float>(decimal)) bits = std::bit_cast<uint32_t>(*value);
  } else {
    bits = SmallFloatFromDecimal(decimal, dtype);
  }
  if (!bits) return Malformed(text, dtype);
  if (IsNotFinite(*bits, dtype)) return OutOfRange(text, dtype);
  return Bits(*bits);
}

}  // namespace

bool IsListElementType(DataType dtype) {
  if (dtype.lanes() < 1 || dtype.bits() < 1) return false;
  if (dtype.is_integer()) return dtype.bits() <= 64;
  if (dtype.is_float()) return dtype.bits() == 16 || dtype.bits() == 32 || dtype.bits() == 64;
  return dtype.is_bfloat16() || (dtype.is_float8() && dtype.bits() == 8);
}

IntegerRange RangeOf(DataType dtype) {
  const int bits = dtype.bits();
  if (dtype.is_uint()) return {~uint64_t{0} >> (64 - bits), 0};
  const uint64_t half = uint64_t{1} << (bits - 1);
  return {half - 1, half};
}

bool IsNotFinite(uint64_t bits, DataType dtype) {
  if (dtype.code() == TypeCode::kE4M3Float) return (bits & 0x7f) == 0x7f;
  uint64_t exponent = 0x7c;  // e5m2
  if (dtype.bits() == 64) exponent = uint64_t{0x7ff} << 52;
  if (dtype.bits() == 32) exponent = 0x7f800000;
  if (dtype.bits() == 16) exponent = dtype.code() == TypeCode::kBFloat ? 0x7f80 : 0x7c00;
  return (bits & exponent) == exponent;
}

std::optional<uint64_t> SmallFloatFromDecimal(std::string_view text, DataType dtype) {
  const std::optional<double> value = FromDecimal<double>(text);
  if (!value) return std::nullopt;
  const double infinity = std::numeric_limits<double>::infinity();
  const uint64_t nearest = SmallFromDouble(*value, dtype);
  if (*value == 0 || std::isinf(*value)) return nearest;
  const uint64_t above = SmallFromDouble(std::nextafter(*value, infinity), dtype);
  const uint64_t below = SmallFromDouble(std::nextafter(*value, -infinity), dtype);
  // A double on the border of two results may come from decimals on both sides of it, so compare
  // the digits. Everywhere else, rounding twice is the same as rounding once.
  if (above == below) return nearest;
  const int sign = CompareMagnitudes(text, *value);
  if (sign == 0) return nearest;
  return (sign > 0) == (*value > 0) ? above : below;
}

ElementResult ReadElement(std::string_view text, DataType dtype) {
  if (text.empty()) return Malformed(text, dtype);
  if (dtype.is_bool()) {
    if (text == "True") return Bits(1);
    if (text == "False") return Bits(0);
  }
  return dtype.is_integer() ? ReadInteger(text, dtype) : ReadFloat(text, dtype);
}

}  // namespace tenon
