#include "support/base64.h"

#include <array>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "fmt/format.h"

namespace tenon {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint32_t kInvalid = uint32_t{1} << 31;

/// Entry [k][c]: the six bits of character c at their place in a group's 24 bits when c is the k-th
/// character of the group, or kInvalid.
using DecodeTable = std::array<std::array<uint32_t, 256>, 4>;

constexpr DecodeTable MakeDecodeTable() {
  DecodeTable table{};
  for (unsigned k = 0; k < 4; ++k) {
    for (uint32_t& entry : table[k]) entry = kInvalid;
    for (uint32_t i = 0; i < 64; ++i) {
      table[k][static_cast<unsigned char>(kAlphabet[i])] = i << (18 - 6 * k);
    }
  }
  return table;
}

constexpr DecodeTable kDecode = MakeDecodeTable();

/// Two characters for each twelve bits: half as many lookups as one character for six bits.
constexpr std::array<std::array<char, 2>, 4096> MakeEncodeTable() {
  std::array<std::array<char, 2>, 4096> table{};
  for (unsigned i = 0; i < 4096; ++i) table[i] = {kAlphabet[i >> 6], kAlphabet[i & 63]};
  return table;
}

constexpr std::array<std::array<char, 2>, 4096> kEncode = MakeEncodeTable();

uint32_t Group(const unsigned char* p) {
  return kDecode[0][p[0]] | kDecode[1][p[1]] | kDecode[2][p[2]] | kDecode[3][p[3]];
}

bool IsDigit(unsigned char c) { return kDecode[0][c] != kInvalid; }

absl::Status Fail(size_t offset, size_t* error_offset, std::string message) {
  if (error_offset != nullptr) *error_offset = offset;
  return absl::InvalidArgumentError(message);
}

absl::Status BadCharacter(unsigned char c, size_t offset, size_t* error_offset) {
  if (c == '=') {
    return Fail(offset, error_offset, fmt::format("misplaced base64 padding at offset {}", offset));
  }
  const bool printable = c > 0x20 && c < 0x7f;
  return Fail(offset, error_offset,
              printable ? fmt::format("invalid base64 character `{}` at offset {}",
                                      static_cast<char>(c), offset)
                        : fmt::format("invalid base64 byte 0x{:02x} at offset {}", c, offset));
}

/// The first error in a text of complete or incomplete groups.
absl::Status Diagnose(std::string_view text, size_t* error_offset) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (IsDigit(c)) continue;
    const size_t in_group = i % 4;
    const bool padding = c == '=' && in_group >= 2 && i - in_group + 4 >= text.size() &&
                         text.substr(i).find_first_not_of('=') == std::string_view::npos;
    if (padding) break;
    return BadCharacter(c, i, error_offset);
  }
  if (text.size() % 4 != 0) {
    return Fail(
        text.size(), error_offset,
        fmt::format("truncated base64: {} characters are not a multiple of 4", text.size()));
  }
  const size_t last = text.find('=');
  const size_t at = last == std::string_view::npos ? text.size() - 1 : last - 1;
  return Fail(at, error_offset,
              fmt::format("base64 has bits after its last byte at offset {}", at));
}

}  // namespace

absl::StatusOr<std::string> Base64Decode(std::string_view text, size_t* error_offset) {
  if (text.empty()) return std::string();
  if (text.size() % 4 != 0) return Diagnose(text, error_offset);
  size_t padding = 0;
  if (text.back() == '=') padding = text[text.size() - 2] == '=' ? 2 : 1;

  std::string bytes(text.size() / 4 * 3, '\0');
  const auto* in = reinterpret_cast<const unsigned char*>(text.data());
  const unsigned char* const end = in + (text.size() - (padding != 0 ? 4 : 0));
  char* out = bytes.data();
  // Errors are accumulated and checked once: a branch for each group would halve the speed.
  uint32_t seen = 0;
  for (; in != end; in += 4, out += 3) {
    const uint32_t bits = Group(in);
    seen |= bits;
    out[0] = static_cast<char>(bits >> 16);
    out[1] = static_cast<char>(bits >> 8);
    out[2] = static_cast<char>(bits);
  }
  if (padding != 0) {
    const unsigned char last[4] = {in[0], in[1],
                                   padding == 2 ? static_cast<unsigned char>('A') : in[2], 'A'};
    const uint32_t bits = Group(last);
    seen |= bits;
    if ((bits & (padding == 2 ? 0xffffu : 0xffu)) != 0) seen |= kInvalid;
    out[0] = static_cast<char>(bits >> 16);
    out[1] = static_cast<char>(bits >> 8);
    for (; padding > 0; --padding) bytes.pop_back();
  }
  if ((seen & kInvalid) != 0) return Diagnose(text, error_offset);
  return bytes;
}

std::string Base64Encode(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  const auto* in = reinterpret_cast<const unsigned char*>(bytes.data());
  char* out = text.data();
  size_t left = bytes.size();
  for (; left >= 3; left -= 3, in += 3, out += 4) {
    const uint32_t bits = uint32_t{in[0]} << 16 | uint32_t{in[1]} << 8 | in[2];
    const std::array<char, 2>& upper = kEncode[bits >> 12];
    const std::array<char, 2>& lower = kEncode[bits & 0xfff];
    out[0] = upper[0];
    out[1] = upper[1];
    out[2] = lower[0];
    out[3] = lower[1];
  }
  if (left != 0) {
    const uint32_t bits = uint32_t{in[0]} << 16 | (left == 2 ? uint32_t{in[1]} << 8 : 0);
    out[0] = kAlphabet[bits >> 18];
    out[1] = kAlphabet[(bits >> 12) & 63];
    if (left == 2) out[2] = kAlphabet[(bits >> 6) & 63];
  }
  return text;
}

}  // namespace tenon
