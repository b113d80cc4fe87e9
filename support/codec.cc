#include "support/codec.h"

#include <lz4.h>
#include <lz4hc.h>
#include <zstd.h>

#include <climits>

namespace tenon {

namespace {

// Fixed, so that a constant has the same compressed bytes on every machine.
constexpr int kLz4Level = LZ4HC_CLEVEL_MAX;
constexpr int kZstdLevel = 19;

absl::StatusOr<std::vector<uint8_t>> CompressLz4(std::span<const uint8_t> bytes) {
  if (bytes.size() > LZ4_MAX_INPUT_SIZE)
    return absl::ResourceExhaustedError("too large for one LZ4 block");
  const int bound = LZ4_compressBound(static_cast<int>(bytes.size()));
  std::vector<uint8_t> out(static_cast<size_t>(bound));
  // LZ4 needs a valid address even for empty input.
  const uint8_t nothing = 0;
  const uint8_t* const from = bytes.empty() ? &nothing : bytes.data();
  const int size =
      LZ4_compress_HC(reinterpret_cast<const char*>(from), reinterpret_cast<char*>(out.data()),
                      static_cast<int>(bytes.size()), bound, kLz4Level);
  if (size <= 0) return absl::ResourceExhaustedError("LZ4 could not compress");
  out.resize(static_cast<size_t>(size));
  out.shrink_to_fit();
  return out;
}

absl::StatusOr<std::vector<uint8_t>> CompressZstd(std::span<const uint8_t> bytes) {
  std::vector<uint8_t> out(ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0) return absl::ResourceExhaustedError(ZSTD_getErrorName(size));
  out.resize(size);
  out.shrink_to_fit();
  return out;
}

}  // namespace

std::optional<Codec> CodecNamed(std::string_view name) {
  if (name == "lz4") return Codec::kLz4;
  if (name == "zstd") return Codec::kZstd;
  return std::nullopt;
}

absl::StatusOr<std::vector<uint8_t>> Compress(Codec codec, std::span<const uint8_t> bytes) {
  return codec == Codec::kLz4 ? CompressLz4(bytes) : CompressZstd(bytes);
}

absl::Status Decompress(Codec codec, std::span<const uint8_t> stored, std::span<uint8_t> bytes) {
  bool fits = false;
  if (codec == Codec::kZstd) {
    const size_t size = ZSTD_decompress(bytes.data(), bytes.size(), stored.data(), stored.size());
    fits = ZSTD_isError(size) == 0 && size == bytes.size();
  } else if (stored.size() <= INT_MAX && bytes.size() <= INT_MAX) {
    // LZ4 needs a valid address even for empty output.
    char nothing = 0;
    char* const to = bytes.empty() ? &nothing : reinterpret_cast<char*>(bytes.data());
    const int size =
        LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()), to,
                            static_cast<int>(stored.size()), static_cast<int>(bytes.size()));
    fits = size >= 0 && static_cast<size_t>(size) == bytes.size();
  }
  if (fits) return absl::OkStatus();
  return absl::DataLossError("the compressed bytes are damaged, or not those of this constant");
}

}  // namespace tenon
