#ifndef TENON_SUPPORT_CODEC_H_
#define TENON_SUPPORT_CODEC_H_

// Compression of stored constants.

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
  kZstd,  ///< one zstd frame with its size, without a checksum
};

/// The codec called `name`: lz4, zstd.
std::optional<Codec> CodecNamed(std::string_view name);

/// `bytes`, compressed at the codec's highest usual level. The result depends only on `bytes` and
/// the library's version, and may be longer than `bytes`. An error if `bytes` exceeds the codec's
/// limit (LZ4: 2^31 - 2^25 bytes) or memory runs out.
absl::StatusOr<std::vector<uint8_t>> Compress(Codec codec, std::span<const uint8_t> bytes);

/// The inverse of Compress: fills `bytes`, which must have the original size. An error if `stored`
/// is damaged or decompresses to another size. `stored` need not be trusted.
absl::Status Decompress(Codec codec, std::span<const uint8_t> stored, std::span<uint8_t> bytes);

}  // namespace tenon

#endif  // TENON_SUPPORT_CODEC_H_
