#ifndef TENON_LOWERING_IMAGE_IMAGE_INTERNAL_H_
#define TENON_LOWERING_IMAGE_IMAGE_INTERNAL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lowering/image/emit_image.h"
#include "lowering/image/image_layout.h"
#include "support/hash.h"

// Internal to lowering/image.

namespace tenon::image_lowering {

/// The data from which all files of a module's constants are made. Streamed files share it.
struct Image {
  std::string prefix;  ///< `tvmgen_default`
  std::string macro;   ///< the prefix in capitals
  std::vector<Blob> blobs;
  ImageLayout layout;
  bool is_little_endian = false;                    ///< not usable on big-endian machines
  std::optional<ReplaceableFile> replaceable = {};  ///< ImageOptions::replaceable
};

/// `name` as the array of the blob's elements at `address`, which is C text of type
/// `const uint8_t*`.
std::string ArrayMacro(const PlacedBlob& placed, const std::string& address);

/// `<prefix>_constants.h` around `text`, after the lines of `include`.
EmittedFile ConstantsHeader(const Image& image, const std::string& comment, const std::string& text,
                            std::string_view include = {});

/// Ends the XXH3-64 of `size` bytes of constants as `tenon_hash_part` of runtime/tenon_constants.h
/// computes it, which pads few bytes.
uint64_t FinishPart(Hasher& hasher, int64_t size);

/// `<prefix>_set_constants`, which checks a file against `facts`, the members of `struct_name`.
std::string SetConstantsCode(const Image& image, std::string_view struct_name,
                             std::string_view facts, std::string_view check);

/// A file of all bytes of the image.
EmittedFile BytesFile(std::shared_ptr<const Image> image);

/// Emits the files of ConstantStorage::kFile: see constants_file.cc.
absl::StatusOr<EmittedImage> EmitConstantsFile(std::shared_ptr<const Image> image);

}  // namespace tenon::image_lowering

#endif  // TENON_LOWERING_IMAGE_IMAGE_INTERNAL_H_
