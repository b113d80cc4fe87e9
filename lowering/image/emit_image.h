#ifndef TENON_LOWERING_IMAGE_EMIT_IMAGE_H_
#define TENON_LOWERING_IMAGE_EMIT_IMAGE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lowering/blob.h"
#include "lowering/emitted_file.h"

// The files that bring a module's constants into a program, other than as C arrays.

namespace tenon {

struct ImageOptions {
  /// Not kAuto and not kCArray.
  ConstantStorage storage = ConstantStorage::kObject;
  /// Of kObject: see ParseElfTarget.
  std::string target;
  std::string target_abi;
};

struct EmittedImage {
  /// `<prefix>_constants.h`, which the C source includes, first; then the rest. Streamed files keep
  /// the bytes that they write.
  std::vector<EmittedFile> files;
  /// What becomes of them, in a sentence for people: which to link, which to have at run time.
  std::string use;
};

/// Emits the blobs, whose names become known to whoever includes `<prefix>_constants.h`. Errors are
/// those of the target and of sizes.
absl::StatusOr<EmittedImage> EmitImage(std::string_view prefix, std::vector<Blob> blobs,
                                       const ImageOptions& options);

}  // namespace tenon

#endif  // TENON_LOWERING_IMAGE_EMIT_IMAGE_H_
