#ifndef TENON_LOWERING_IMAGE_IMAGE_LAYOUT_H_
#define TENON_LOWERING_IMAGE_IMAGE_LAYOUT_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lowering/blob.h"

namespace tenon {

/// A blob and its place.
struct PlacedBlob {
  const Blob* blob = nullptr;
  int64_t offset = 0;      ///< in its section
  int64_t size_bytes = 0;  ///< of what its name stands for: at least an element
};

/// All blobs of a section.
struct ImageSection {
  std::string name;
  bool is_copied = false;  ///< all of its blobs are, or none
  int64_t alignment = 1;
  int64_t offset = 0;  ///< in the image: a multiple of the alignment
  int64_t size_bytes = 0;
  std::vector<PlacedBlob> blobs;
};

/// All blobs of a module as one stretch of bytes: sections in the order of their first blob, blobs
/// in theirs, each at its alignment, zeros between them. Blobs that are copied and others are never
/// in one section; there may be two of a name then.
struct ImageLayout {
  std::vector<ImageSection> sections;
  int64_t alignment = 1;
  int64_t size_bytes = 0;
};

/// The layout; it borrows the blobs. An error when there are more bytes than files can have.
absl::StatusOr<ImageLayout> LayOutImage(std::span<const Blob> blobs);

/// The bytes of one section, and of the whole image.
absl::Status StreamSection(const ImageSection& section, const ByteSink& sink);
absl::Status StreamImage(const ImageLayout& layout, const ByteSink& sink);

}  // namespace tenon

#endif  // TENON_LOWERING_IMAGE_IMAGE_LAYOUT_H_
