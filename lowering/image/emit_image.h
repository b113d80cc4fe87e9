#ifndef TENON_LOWERING_IMAGE_EMIT_IMAGE_H_
#define TENON_LOWERING_IMAGE_EMIT_IMAGE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lowering/blob.h"
#include "lowering/emitted_file.h"

// Files that bring a module's constants into a program by other means than C arrays.

namespace tenon {

struct ImageOptions {
  /// Not kAuto and not kCArray.
  ConstantStorage storage = ConstantStorage::kObject;
  /// For kObject: see ParseElfTarget.
  std::string target;
  std::string target_abi;
};

struct EmittedImage {
  /// First `<prefix>_constants.h`, which the C source includes; then the other files. Streamed
  /// files keep the bytes that they write alive.
  std::vector<EmittedFile> files;
  /// One sentence that tells users which files to link and which to provide at run time.
  std::string use;
};

/// Emits the blobs. `<prefix>_constants.h` declares their names. An error if the target or a size
/// is not supported.
absl::StatusOr<EmittedImage> EmitImage(std::string_view prefix, std::vector<Blob> blobs,
                                       const ImageOptions& options);

}  // namespace tenon

#endif  // TENON_LOWERING_IMAGE_EMIT_IMAGE_H_
