#include "printer/constant_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "support/check.h"
#include "support/half.h"

namespace tenon {
namespace {

// Longer than any element with its ", ": a float64 takes 24 characters, a uint64 20, and "nan(0x"
// with 16 digits, ")" and quotes 25.
constexpr size_t kMostCharacters = 40;

// Rewrites `d.ddde-05`, from to_chars, like Python's repr: no exponent from 1e-4 to below 1e16, and
// always a point in that range.
char* Repr(const char* begin, const char* end, char* out) {
  if (*begin == '-') *out++ = *begin++;
  const char* e = end - 1;
  while (*e != 'e') --e;
  int exponent = 0;
  std::from_chars(e + (e[1] == '+' ? 2 : 1), end, exponent);
  std::array<char, kMostCharacters> digits;
  size_t count = 0;
  for (const char* p = begin; p != e; ++p) {
    if (*p != '.') digits[count++] = *p;
  }
  if (exponent < -4 || exponent >= 16) return std::copy(begin, end, out);
  if (exponent < 0) {
    *out++ = '0';
    *out++ = '.';
    out = std::fill_n(out, -exponent - 1, '0');
    return std::copy_n(digits.data(), count, out);
  }
  const auto whole = static_cast<size_t>(exponent) + 1;
  out = std::copy_n(digits.data(), std::min(whole, count), out);
  if (whole > count) out = std::fill_n(out, whole - count, '0');
  *out++ = '.';
  if (count <= whole) *out++ = '0';
  if (count > whole) out = std::copy_n(digits.data() + whole, count - whole, out);
  return out;
}

template <typename Float>
char* WriteFinite(Float value, char* out) {
  std::array<char, kMostCharacters> buffer;
  const auto printed = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                     std::chars_format::scientific);
  return Repr(buffer.data(), printed.ptr, out);
}

char* WriteText(std::string_view text, char* out) {
  return std::copy(text.begin(), text.end(), out);
}

// `usual` is the format's NaN that is written as "nan".
char* WriteNotFinite(double value, uint64_t bits, uint64_t usual, char* out) {
  if (std::isinf(value)) return WriteText(value < 0 ? "\"-inf\"" : "\"inf\"", out);
  if (bits == usual) return WriteText("\"nan\"", out);
  return fmt::format_to(out, "\"nan(0x{:x})\"", bits);
}

struct Float32Writer {
  char* operator()(uint32_t bits, char* out) const {
    const auto value = std::bit_cast<float>(bits);
    if (!std::isfinite(value)) return WriteNotFinite(value, bits, 0x7fc00000, out);
    return WriteFinite(value, out);
  }
};

struct Float64Writer {
  char* operator()(uint64_t bits, char* out) const {
    const auto value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) return WriteNotFinite(value, bits, uint64_t{0x7ff8} << 48, out);
    return WriteFinite(value, out);
  }
};

// A small format: the fewest digits that read back to the same value.
template <typename Word, auto kDecode, auto kEncode>
struct SmallFloatWriter {
  char* operator()(Word bits, char* out) const {
    const float value = kDecode(bits);
    if (!std::isfinite(value)) {
      return WriteNotFinite(value, bits, kEncode(std::numeric_limits<double>::quiet_NaN()), out);
    }
    std::array<char, kMostCharacters> buffer;
    for (int precision = 0;; ++precision) {
      TENON_CHECK(precision < static_cast<int>(kMostCharacters));
      const auto printed = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                         std::chars_format::scientific, precision);
      double read = 0;
      std::from_chars(buffer.data(), printed.ptr, read);
      if (kEncode(read) == bits) return Repr(buffer.data(), printed.ptr, out);
    }
  }
};

// Integers of `bits` bits in a word of the same size.
template <typename Signed>
struct IntegerWriter {
  char* operator()(std::make_unsigned_t<Signed> word, char* out) const {
    return std::to_chars(out, out + kMostCharacters, static_cast<Signed>(word)).ptr;
  }
};
template <typename Unsigned>
struct UnsignedWriter {
  char* operator()(Unsigned word, char* out) const {
    return std::to_chars(out, out + kMostCharacters, word).ptr;
  }
};

// The texts of all byte values, each with its separator: eight characters are copied, and the
// length says how many count.
struct ByteText {
  std::array<char, 7> text{};
  uint8_t length = 0;
};
static_assert(sizeof(ByteText) == 8);

constexpr std::array<ByteText, 256> MakeByteTexts(bool is_signed) {
  std::array<ByteText, 256> table{};
  for (int byte = 0; byte < 256; ++byte) {
    ByteText& entry = table[static_cast<size_t>(byte)];
    int value = is_signed && byte > 127 ? byte - 256 : byte;
    uint8_t length = 0;
    if (value < 0) {
      entry.text[length++] = '-';
      value = -value;
    }
    if (value >= 100) entry.text[length++] = static_cast<char>('0' + value / 100);
    if (value >= 10) entry.text[length++] = static_cast<char>('0' + value / 10 % 10);
    entry.text[length++] = static_cast<char>('0' + value % 10);
    entry.text[length++] = ',';
    entry.text[length++] = ' ';
    entry.length = length;
  }
  return table;
}
constexpr std::array<ByteText, 256> kSignedBytes = MakeByteTexts(true);
constexpr std::array<ByteText, 256> kUnsignedBytes = MakeByteTexts(false);

// Appends elements to `sink` in pieces with guaranteed room, ", " between all of them.
void AppendBytes(std::span<const uint8_t> bytes, const std::array<ByteText, 256>& table,
                 Sink& sink) {
  constexpr size_t kChunk = 512;
  for (size_t at = 0; at < bytes.size(); at += kChunk) {
    char* p = sink.Room(kChunk * sizeof(ByteText));
    for (const uint8_t byte : bytes.subspan(at, std::min(kChunk, bytes.size() - at))) {
      const ByteText& entry = table[byte];
      std::memcpy(p, entry.text.data(), entry.text.size());
      p += entry.length;
    }
    sink.Commit(at + kChunk < bytes.size() ? p : p - 2);
  }
}

template <typename Word, typename Writer>
void AppendWords(std::span<const uint8_t> bytes, const Writer& write, Sink& sink) {
  TENON_CHECK(bytes.size() % sizeof(Word) == 0);
  constexpr size_t kChunk = 128;
  for (size_t at = 0; at < bytes.size();) {
    char* p = sink.Room(kChunk * kMostCharacters);
    const size_t end = std::min(bytes.size(), at + kChunk * sizeof(Word));
    for (; at < end; at += sizeof(Word)) {
      Word word;
      std::memcpy(&word, bytes.data() + at, sizeof(Word));
      p = write(word, p);
      *p++ = ',';
      *p++ = ' ';
    }
    sink.Commit(at < bytes.size() ? p : p - 2);
  }
}

// Appends integers of three, five, six or seven bytes.
void AppendOddIntegers(std::span<const uint8_t> bytes, DataType dtype, Sink& sink) {
  const auto width = static_cast<size_t>(dtype.element_bytes());
  TENON_CHECK(width > 0 && width <= sizeof(uint64_t));
  for (size_t at = 0; at < bytes.size(); at += width) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, width);
    if (at != 0) sink.Append(", ");
    const int unused = 64 - static_cast<int>(width) * 8;
    if (dtype.is_uint()) {
      sink.AppendUInt(word);
    } else {
      sink.AppendInt(static_cast<int64_t>(word << unused) >> unused);
    }
  }
}

void AppendIntegers(std::span<const uint8_t> bytes, DataType dtype, Sink& sink) {
  const bool is_signed = dtype.is_int();
  switch (dtype.element_bytes()) {
    case 1:
      return AppendBytes(bytes, is_signed ? kSignedBytes : kUnsignedBytes, sink);
    case 2:
      return is_signed ? AppendWords<uint16_t>(bytes, IntegerWriter<int16_t>(), sink)
                       : AppendWords<uint16_t>(bytes, UnsignedWriter<uint16_t>(), sink);
    case 4:
      return is_signed ? AppendWords<uint32_t>(bytes, IntegerWriter<int32_t>(), sink)
                       : AppendWords<uint32_t>(bytes, UnsignedWriter<uint32_t>(), sink);
    case 8:
      return is_signed ? AppendWords<uint64_t>(bytes, IntegerWriter<int64_t>(), sink)
                       : AppendWords<uint64_t>(bytes, UnsignedWriter<uint64_t>(), sink);
    default:
      return AppendOddIntegers(bytes, dtype, sink);
  }
}

void AppendBools(std::span<const uint8_t> bytes, Sink& sink) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i != 0) sink.Append(", ");
    // A byte other than 0 and 1 is not a bool; only its number reads back to the same byte.
    if (bytes[i] > 1) {
      sink.AppendUInt(bytes[i]);
    } else {
      sink.Append(bytes[i] != 0 ? "True" : "False");
    }
  }
}

}  // namespace

void AppendConstantElements(std::span<const uint8_t> bytes, DataType dtype, Sink& sink) {
  TENON_CHECK(dtype.element_bytes() > 0 &&
              bytes.size() % static_cast<size_t>(dtype.element_bytes()) == 0);
  if (dtype.is_bool()) return AppendBools(bytes, sink);
  if (dtype.is_integer()) return AppendIntegers(bytes, dtype, sink);
  switch (dtype.code()) {
    case TypeCode::kFloat:
      if (dtype.bits() == 32) return AppendWords<uint32_t>(bytes, Float32Writer(), sink);
      if (dtype.bits() == 64) return AppendWords<uint64_t>(bytes, Float64Writer(), sink);
      return AppendWords<uint16_t>(
          bytes, SmallFloatWriter<uint16_t, FloatFromFloat16, Float16FromDouble>(), sink);
    case TypeCode::kBFloat:
      return AppendWords<uint16_t>(
          bytes, SmallFloatWriter<uint16_t, FloatFromBFloat16, BFloat16FromDouble>(), sink);
    case TypeCode::kE4M3Float:
      return AppendWords<uint8_t>(
          bytes, SmallFloatWriter<uint8_t, FloatFromFloat8E4M3, Float8E4M3FromDouble>(), sink);
    case TypeCode::kE5M2Float:
      return AppendWords<uint8_t>(
          bytes, SmallFloatWriter<uint8_t, FloatFromFloat8E5M2, Float8E5M2FromDouble>(), sink);
    default:
      TENON_UNREACHABLE();
  }
}

}  // namespace tenon
