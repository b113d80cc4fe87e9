#ifndef TENON_SUPPORT_CODEC_H_
#define TENON_SUPPORT_CODEC_H_

// How constants are compressed where they are stored.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tenon {

enum class Codec : uint8_t {
  kLz4,   ///< one LZ4 block, without a frame: runtime/tenon_lz4.h reads it
  kZstd,  ///< one zstd frame that says its size, without a checksum
};

/// The codec called `name`: lz4, zstd.
std::optional<Codec> CodecNamed(std::string_view name);

/// `bytes`, compressed at the codec's highest usual level: the result depends on nothing but them
/// and the library's version. May be longer than they are. An error beyond what the codec can hold
/// in one piece (LZ4: 2^31 bytes less 2^25) or when memory runs out.
absl::StatusOr<std::vector<uint8_t>> Compress(Codec codec, std::span<const uint8_t> bytes);

/// The inverse: fills `bytes`, whose size must be that of what was compressed. An error when
/// `stored` is damaged, or holds more or less. `stored` may be anything.
absl::Status Decompress(Codec codec, std::span<const uint8_t> stored, std::span<uint8_t> bytes);

}  // namespace tenon

#endif  // TENON_SUPPORT_CODEC_H_
