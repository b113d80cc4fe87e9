#ifndef TENON_SUPPORT_LITTLE_ENDIAN_H_
#define TENON_SUPPORT_LITTLE_ENDIAN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace tenon {

/// The integer of type T in the first sizeof(T) bytes of `bytes`, which must be long enough.
template <typename T>
T LoadLittleEndian(std::string_view bytes) {
  using Unsigned = std::make_unsigned_t<T>;
  Unsigned value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<Unsigned>(
        value |
        static_cast<Unsigned>(static_cast<Unsigned>(static_cast<uint8_t>(bytes[i])) << 8 * i));
  }
  return static_cast<T>(value);
}

/// Appends `value` to `bytes`.
template <typename T>
void AppendLittleEndian(T value, std::string* bytes) {
  const auto bits = static_cast<std::make_unsigned_t<T>>(value);
  for (size_t i = 0; i < sizeof(T); ++i) {
    bytes->push_back(static_cast<char>(static_cast<uint8_t>(bits >> 8 * i)));
  }
}

}  // namespace tenon

#endif  // TENON_SUPPORT_LITTLE_ENDIAN_H_
