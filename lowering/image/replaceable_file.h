#ifndef TENON_LOWERING_IMAGE_REPLACEABLE_FILE_H_
#define TENON_LOWERING_IMAGE_REPLACEABLE_FILE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lowering/image/image_internal.h"
#include "support/safetensors.h"

// The end of a file of replaceable constants: scales of the interface, a hash of each constant, and
// the four words of `tenon_replaceable_file` in runtime/tenon_constants.h.

namespace tenon::image_lowering {

inline constexpr int64_t kWordBytes = 8;
inline constexpr int64_t kCheckWords = 4;

/// The bytes from `begin` to the end of the file.
struct ReplaceableEnd {
  int64_t begin = 0;   ///< offset in the data, a multiple of kWordBytes
  int64_t pad = 0;     ///< zeros from the end of the constants to `begin`
  std::string tables;  ///< scales, zero points, hashes
  int64_t hashes = 0;  ///< offset of the hashes in the data
  size_t hash_count = 0;
  size_t scale_count = 0;
  uint64_t identity = 0;

  int64_t size_bytes() const {
    return pad + static_cast<int64_t>(tables.size()) + kCheckWords * kWordBytes;
  }
};

/// The end of a file whose constants take `constant_bytes` bytes and have `hashes`, in the order of
/// the parts of the code. `constants` are their places.
ReplaceableEnd MakeReplaceableEnd(const ReplaceableFile& file, int64_t constant_bytes,
                                  std::span<const uint64_t> hashes,
                                  std::span<const FileConstant> constants);

/// The tensors of the tables and words, without data. Names begin with `tenon.`.
std::vector<SafetensorsTensor> TensorsOf(const ReplaceableEnd& end);

/// The four words, for a file that begins with `header` and the constants of `image`.
absl::StatusOr<std::string> CheckWords(const ReplaceableEnd& end, const std::string& header,
                                       const Image& image);

/// `<prefix>_set_constants`, and `<prefix>_quantization` if the file has scales. `file_size` is in
/// bytes.
std::string ReplaceableCode(const ReplaceableEnd& end, const Image& image, uint64_t file_size,
                            size_t header_size);
std::string ScalesCode(const ReplaceableEnd& end, const Image& image);

}  // namespace tenon::image_lowering

#endif  // TENON_LOWERING_IMAGE_REPLACEABLE_FILE_H_
