#ifndef TENON_SUPPORT_SHORT_TEXT_H_
#define TENON_SUPPORT_SHORT_TEXT_H_

#include <cstdint>
#include <cstring>
#include <string_view>

// Fast operations on names, which are a few bytes long: they call no library functions.

namespace tenon {

/// The eight bytes at `data`.
inline uint64_t LoadWord(const char* data) {
  uint64_t word;
  std::memcpy(&word, data, 8);
  return word;
}

/// The `size` bytes at `data` (1 to 7), first byte lowest; reads no other bytes.
inline uint64_t LoadPart(const char* data, size_t size) {
  if (size >= 4) {
    uint32_t low;
    uint32_t high;
    std::memcpy(&low, data, 4);
    std::memcpy(&high, data + size - 4, 4);
    return low | uint64_t{high} << (8 * (size - 4));
  }
  const auto byte = [&](size_t i) {
    return uint64_t{static_cast<unsigned char>(data[i])} << 8 * i;
  };
  return byte(0) | byte(size / 2) | byte(size - 1);
}

/// `a == b`.
inline bool SameText(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  size_t at = 0;
  for (; at + 8 <= a.size(); at += 8) {
    if (LoadWord(a.data() + at) != LoadWord(b.data() + at)) return false;
  }
  const size_t left = a.size() - at;
  return left == 0 || LoadPart(a.data() + at, left) == LoadPart(b.data() + at, left);
}

}  // namespace tenon

#endif  // TENON_SUPPORT_SHORT_TEXT_H_
