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
  int64_t size_bytes = 0;  ///< size of its symbol: at least one element
};

/// All blobs of a section.
struct ImageSection {
  std::string name;
  bool is_copied = false;  ///< applies to all blobs of the section
  int64_t alignment = 1;
  int64_t offset = 0;  ///< in the image: a multiple of the alignment
  int64_t size_bytes = 0;
  std::vector<PlacedBlob> blobs;
};

/// All blobs of a module as one range of bytes: sections in the order of their first blobs, and
/// blobs in their order, each at its alignment, with zeros between them. Blobs that are only copied
/// are never in one section with other blobs, so two sections may have the same name.
struct ImageLayout {
  std::vector<ImageSection> sections;
  int64_t alignment = 1;
  int64_t size_bytes = 0;
};

/// Computes the layout, which borrows the blobs. An error if there are more bytes than a file can
/// have.
absl::StatusOr<ImageLayout> LayOutImage(std::span<const Blob> blobs);

/// Write the bytes of one section, and of the whole image.
absl::Status StreamSection(const ImageSection& section, const ByteSink& sink);
absl::Status StreamImage(const ImageLayout& layout, const ByteSink& sink);

}  // namespace tenon

#endif  // TENON_LOWERING_IMAGE_IMAGE_LAYOUT_H_
