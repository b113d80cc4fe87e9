#ifndef TENON_LOWERING_IMAGE_EMIT_IMAGE_H_
#define TENON_LOWERING_IMAGE_EMIT_IMAGE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lowering/blob.h"
#include "lowering/emitted_file.h"
#include "lowering/update_manifest.h"

// Files that bring a module's constants into a program by other means than C arrays.

namespace tenon {

/// The contents of a file of replaceable constants besides the constants.
struct ReplaceableFile {
  /// The hash of everything of the program that does not depend on bytes of constants. It becomes
  /// part of the identity that the file and the code must have in common.
  uint64_t code = 0;
  /// The scale and zero point of each tensor of the interface, if they are data. Tensors without
  /// them have the scale 0.
  struct Scale {
    float scale = 0;
    int32_t zero_point = 0;
  };
  std::vector<Scale> scales;
};

struct ImageOptions {
  /// Not kAuto and not kCArray.
  ConstantStorage storage = ConstantStorage::kObject;
  /// For kObject: see ParseElfTarget.
  std::string target;
  std::string target_abi;
  /// For kFile: the file may be replaced by another one with other bytes.
  std::optional<ReplaceableFile> replaceable = {};
};

struct EmittedImage {
  /// First `<prefix>_constants.h`, which the C source includes; then the other files. Streamed
  /// files keep the bytes that they write alive.
  std::vector<EmittedFile> files;
  /// One sentence that tells users which files to link and which to provide at run time.
  std::string use;
  /// For replaceable files: the identity, and the constants in the order of the file.
  uint64_t identity = 0;
  std::vector<FileConstant> constants = {};
};

/// Emits the blobs. `<prefix>_constants.h` declares their names. An error if the target or a size
/// is not supported.
absl::StatusOr<EmittedImage> EmitImage(std::string_view prefix, std::vector<Blob> blobs,
                                       const ImageOptions& options);

}  // namespace tenon

#endif  // TENON_LOWERING_IMAGE_EMIT_IMAGE_H_
