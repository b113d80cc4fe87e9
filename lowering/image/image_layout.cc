// All additions are checked against half of the largest offset, so that later sums need no check.
// Bytes are written in order with zeros between them, and are never held as a whole.

#include "lowering/image/image_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// Half of the largest offset, so that sums of two need no check.
constexpr int64_t kMostBytes = int64_t{1} << 61;

int64_t AlignUp(int64_t offset, int64_t alignment) { return (offset + alignment - 1) & -alignment; }

}  // namespace

absl::StatusOr<ImageLayout> LayOutImage(std::span<const Blob> blobs) {
  ImageLayout layout;
  absl::flat_hash_map<std::pair<std::string, bool>, size_t> index;
  for (const Blob& blob : blobs) {
    const auto [found, is_new] =
        index.try_emplace({blob.section, blob.is_copied}, layout.sections.size());
    if (is_new) layout.sections.emplace_back().name = blob.section;
    ImageSection& section = layout.sections[found->second];
    section.is_copied = blob.is_copied;
    PlacedBlob placed;
    placed.blob = &blob;
    placed.offset = AlignUp(section.size_bytes, blob.alignment);
    placed.size_bytes = std::max<int64_t>(blob.size_bytes, blob.dtype.element_bytes());
    if (placed.offset > kMostBytes - placed.size_bytes) {
      return absl::OutOfRangeError(
          fmt::format("the constants of section `{}` are more than a file can have", section.name));
    }
    section.size_bytes = placed.offset + placed.size_bytes;
    section.alignment = std::max(section.alignment, blob.alignment);
    section.blobs.push_back(placed);
  }
  for (ImageSection& section : layout.sections) {
    section.offset = AlignUp(layout.size_bytes, section.alignment);
    if (section.offset > kMostBytes - section.size_bytes)
      return absl::OutOfRangeError("the constants are more than a file can have");
    layout.size_bytes = section.offset + section.size_bytes;
    layout.alignment = std::max(layout.alignment, section.alignment);
  }
  return layout;
}

absl::Status StreamSection(const ImageSection& section, const ByteSink& sink) {
  int64_t at = 0;
  for (const PlacedBlob& placed : section.blobs) {
    TENON_TRY(StreamZeros(placed.offset - at, sink));
    TENON_TRY(StreamBlob(*placed.blob, sink));
    TENON_TRY(StreamZeros(placed.size_bytes - placed.blob->size_bytes, sink));
    at = placed.offset + placed.size_bytes;
  }
  return absl::OkStatus();
}

absl::Status StreamImage(const ImageLayout& layout, const ByteSink& sink) {
  int64_t at = 0;
  for (const ImageSection& section : layout.sections) {
    TENON_TRY(StreamZeros(section.offset - at, sink));
    TENON_TRY(StreamSection(section, sink));
    at = section.offset + section.size_bytes;
  }
  return absl::OkStatus();
}

}  // namespace tenon
