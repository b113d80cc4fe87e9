#ifndef TENON_SUPPORT_BYTE_SIZE_H_
#define TENON_SUPPORT_BYTE_SIZE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Sizes in bytes, as people write them.

namespace tenon {

/// Reads a size in bytes: `65536`, `0x10000`, `64K`, `64Ki` or `64KiB`. The units are K, M and G,
/// in either case. As in linker scripts, `K` and `Ki` both mean 1024. `KB` is refused: it means
/// 1000 to some readers and 1024 to others. Nullopt for other text, and for 2^63 bytes or more.
std::optional<int64_t> ParseByteSize(std::string_view text);

/// `512 B`, `90.9 KiB`, `2 MiB`: at most one digit after the point.
std::string ShortBytes(int64_t bytes);

/// The same for bytes that are left: rounded down, so that the text never promises too much.
std::string ShortRest(int64_t bytes);

/// `{what} is `{text}`, expected a size in bytes, such as 65536 or 64K`.
std::string WrongByteSize(std::string_view what, std::string_view text);

}  // namespace tenon

#endif  // TENON_SUPPORT_BYTE_SIZE_H_
