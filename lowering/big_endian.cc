// Each part of a blob is reversed by itself, and a map of the bytes that are set finds parts that
// disagree. Nothing is reversed at run time: an image that no order suits is refused.

#include "lowering/big_endian.h"

#include <algorithm>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "ir/analysis/constant_layout.h"
#include "ir/visitor.h"
#include "support/check.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// Larger blobs are not compared.
constexpr int64_t kMostCompared = int64_t{1} << 16;

std::vector<uint8_t> BytesOfPart(const BlobPart& part) {
  Blob alone;
  alone.size_bytes = part.size_bytes;
  alone.parts.push_back(part);
  alone.parts[0].offset = 0;
  return BlobBytes(alone);
}

std::vector<uint8_t> HighByteFirst(const BlobPart& part) {
  std::vector<uint8_t> bytes = BytesOfPart(part);
  const auto width = static_cast<size_t>(std::max<int64_t>(part.dtype.element_bytes(), 1));
  for (size_t at = 0; at + width <= bytes.size(); at += width) {
    const auto element = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    std::reverse(element, element + static_cast<std::ptrdiff_t>(width));
  }
  return bytes;
}

/// The error that `part` and another part need the byte `at` in different orders.
absl::Status Clash(const Blob& blob, const BlobPart& part, int64_t at) {
  const auto other = std::find_if(blob.parts.begin(), blob.parts.end(), [&](const BlobPart& use) {
    return use.offset <= at && at < use.offset + use.size_bytes;
  });
  return absl::InvalidArgumentError(
      fmt::format("`{}` and `{}` share bytes, but need different byte orders on a big-endian "
                  "target; with --merge-constants=off only constants of the text share bytes",
                  other->name, part.name));
}

/// Whether the parts of a blob have elements of several widths, or partially overlapping elements,
/// so that their byte orders may differ.
bool MayClash(std::span<const BlobPart> parts) {
  const auto width = [](const BlobPart& part) {
    return std::max<int64_t>(part.dtype.element_bytes(), 1);
  };
  return std::any_of(parts.begin(), parts.end(), [&](const BlobPart& part) {
    const int64_t apart = part.offset - parts[0].offset;
    return width(part) != width(parts[0]) || apart % width(part) != 0;
  });
}

}  // namespace

absl::StatusOr<std::vector<uint8_t>> BigEndianBytes(const Blob& blob) {
  std::vector<uint8_t> bytes(static_cast<size_t>(blob.size_bytes));
  std::vector<bool> is_set(bytes.size());
  for (const BlobPart& part : blob.parts) {
    const std::vector<uint8_t> own = HighByteFirst(part);
    TENON_CHECK(static_cast<int64_t>(own.size()) == part.size_bytes);
    if (part.offset < 0 || part.offset > blob.size_bytes - part.size_bytes)
      return absl::InvalidArgumentError(fmt::format("`{}` lies outside of its pool", part.name));
    for (size_t i = 0; i < own.size(); ++i) {
      const size_t at = static_cast<size_t>(part.offset) + i;
      if (is_set[at] && bytes[at] != own[i]) return Clash(blob, part, static_cast<int64_t>(at));
      is_set[at] = true;
      bytes[at] = own[i];
    }
  }
  return bytes;
}

bool IsSameInBigEndian(std::span<const BlobPart> parts) {
  return std::all_of(parts.begin(), parts.end(), [](const BlobPart& part) {
    return part.dtype.element_bytes() <= 1 || BytesOfPart(part) == HighByteFirst(part);
  });
}

bool DependsOnByteOrder(const Blob& blob) {
  const bool is_wide = std::any_of(blob.parts.begin(), blob.parts.end(), [](const BlobPart& part) {
    return part.dtype.element_bytes() > 1;
  });
  return is_wide && (blob.size_bytes > kMostCompared || !IsSameInBigEndian(blob.parts));
}

absl::Status CheckSharedBytes(std::span<const BlobPart> parts, int64_t size_bytes) {
  if (!MayClash(parts)) return absl::OkStatus();
  Blob blob;
  blob.size_bytes = size_bytes;
  blob.parts.assign(parts.begin(), parts.end());
  return BigEndianBytes(blob).status();
}

absl::Status CheckBigEndian(const IRModule& module) {
  absl::flat_hash_map<const Constant*, size_t> index;
  std::vector<Blob> roots;
  absl::Status status;
  for (const Function& function : module.functions()) {
    Walk(function.func->body, [&](const Node* node) {
      const auto* allocate = dyn_cast<AllocateConst>(node);
      if (allocate == nullptr || allocate->data == nullptr || !allocate->data->has_bytes())
        return Stmt::ClassOf(node);
      const ConstantRoot root = RootOf(*allocate->data);
      const auto [found, is_new] = index.try_emplace(root.data, roots.size());
      if (is_new) roots.emplace_back().size_bytes = root.data->size_bytes();
      absl::StatusOr<BlobPart> part = PartOf(*allocate->data, root.offset);
      if (!part.ok()) {
        status.Update(part.status());
      } else {
        if (part->name.empty()) part->name = std::string(allocate->buffer_var->name.view());
        roots[found->second].parts.push_back(*std::move(part));
      }
      return true;
    });
  }
  TENON_TRY(status);
  for (const Blob& blob : roots) {
    TENON_TRY(CheckSharedBytes(blob.parts, blob.size_bytes));
  }
  return absl::OkStatus();
}

}  // namespace tenon
