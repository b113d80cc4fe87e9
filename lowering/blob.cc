// Bytes are streamed in pieces, and splats are never expanded as a whole: constants may be larger
// than memory. Settle removes overlaps of parts first, so that every storage writes each byte once.

#include "lowering/blob.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "ir/analysis/constant_layout.h"
#include "ir/emitted_names.h"
#include "support/check.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

constexpr std::array<std::string_view, 6> kNames = {"auto",   "c-array", "incbin",
                                                    "object", "embed",   "file"};

/// Splats and zeros are written in pieces of this size, a multiple of every element size.
constexpr int64_t kStretch = 64 << 10;

/// The first `bytes` bytes of a splat.
std::string Pattern(const BlobPart& part, int64_t bytes) {
  std::string text(static_cast<size_t>(bytes), '\0');
  const auto width = static_cast<size_t>(part.dtype.element_bytes());
  TENON_CHECK(width > 0);
  for (size_t at = 0; at + width <= text.size(); at += width)
    std::memcpy(text.data() + at, &part.element, width);
  return text;
}

/// `count` bytes of a part, from byte `skip` on.
std::string Window(const BlobPart& part, int64_t skip, int64_t count) {
  TENON_CHECK(skip >= 0 && count >= 0 && skip <= part.size_bytes - count);
  if (!part.is_splat()) {
    return std::string(reinterpret_cast<const char*>(part.bytes.data()) + skip,
                       static_cast<size_t>(count));
  }
  const int64_t width = part.dtype.element_bytes();
  const int64_t phase = skip % width;
  return Pattern(part, (phase + count + width - 1) / width * width)
      .substr(static_cast<size_t>(phase), static_cast<size_t>(count));
}

/// Whether two parts agree on the bytes [begin, end) of the blob.
bool Agree(const BlobPart& a, const BlobPart& b, int64_t begin, int64_t end) {
  for (int64_t at = begin; at < end; at += kStretch) {
    const int64_t count = std::min(kStretch, end - at);
    if (Window(a, at - a.offset, count) != Window(b, at - b.offset, count)) return false;
  }
  return true;
}

}  // namespace

int64_t TotalBytes(std::span<const Blob> blobs) {
  int64_t total = 0;
  for (const Blob& blob : blobs) total += blob.size_bytes;
  return total;
}

ConstantStorage ChooseStorage(ConstantStorage wanted, const AutoStorage& choice, int64_t total) {
  if (wanted != ConstantStorage::kAuto) return wanted;
  return total <= choice.c_array_limit ? ConstantStorage::kCArray : choice.large;
}

std::string StorageNote(ConstantStorage wanted, ConstantStorage chosen, int64_t total) {
  if (wanted != ConstantStorage::kAuto || chosen != ConstantStorage::kFile) return {};
  return fmt::format(
      "constants of {} MiB are a file that the program opens, because C compilers take minutes for "
      "arrays of this size; --constant-storage=incbin or c-array puts them into the program, and "
      "so does --target=NAME, by an object for that machine",
      total >> 20);
}

std::span<const std::string_view> ConstantStorageNames() { return kNames; }

std::optional<ConstantStorage> ParseConstantStorage(std::string_view name) {
  const auto* found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<ConstantStorage>(found - kNames.begin());
}

absl::StatusOr<BlobPart> PartOf(const Constant& constant, int64_t offset) {
  BlobPart part;
  part.offset = offset;
  part.size_bytes = constant.size_bytes();
  part.dtype = constant.dtype();
  part.shape = constant.shape();
  part.name = constant.name().view();
  if (part.size_bytes == 0) return part;
  const Constant* root = RootOf(constant).data;
  if (root == &constant && root->source().kind == ConstantSource::Kind::kSplat) {
    part.element = root->source().element;
    return part;
  }
  TENON_ASSIGN_OR(part.bytes, constant.Bytes());
  part.owner = root->source().owner;
  part.is_mapped = constant.is_mapped();
  if (part.owner == nullptr) {
    // Copies bytes that the context owns, such as those of a splat: the context may be destroyed
    // before the part.
    auto copy = std::make_shared<const std::vector<uint8_t>>(part.bytes.begin(), part.bytes.end());
    part.bytes = *copy;
    part.owner = std::move(copy);
  }
  return part;
}

absl::StatusOr<std::vector<BlobPart>> PartsOf(const PoolArg& arg) {
  std::vector<BlobPart> parts;
  for (const PooledConstant& constant : arg.pool.constants) {
    const bool fits = constant.data != nullptr && constant.data->has_bytes() &&
                      constant.byte_offset >= 0 &&
                      constant.byte_offset <= arg.size_bytes - constant.data->size_bytes();
    if (!fits) {
      return absl::InvalidArgumentError(
          fmt::format("constant `{}` of pool `{}` has no data, or does not fit the pool",
                      constant.name, arg.pool.name));
    }
    TENON_ASSIGN_OR(BlobPart part, PartOf(*constant.data, constant.byte_offset));
    part.name = constant.name;
    parts.push_back(std::move(part));
  }
  return parts;
}

BlobPart SubPart(const BlobPart& part, int64_t begin, int64_t size_bytes) {
  TENON_CHECK(begin >= 0 && size_bytes >= 0 && begin <= part.size_bytes - size_bytes);
  BlobPart sub = part;
  if (begin == 0 && size_bytes == part.size_bytes) return sub;
  sub.offset += begin;
  sub.size_bytes = size_bytes;
  const auto width = static_cast<int64_t>(part.dtype.element_bytes());
  TENON_CHECK(width > 0);
  if (begin % width != 0 || size_bytes % width != 0) {
    if (part.is_splat()) {
      auto expanded = std::make_shared<const std::string>(Window(part, begin, size_bytes));
      sub.bytes = {reinterpret_cast<const uint8_t*>(expanded->data()), expanded->size()};
      sub.owner = std::move(expanded);
      sub.is_mapped = false;
    }
    sub.dtype = DataType::UInt(8);
  }
  if (!part.is_splat())
    sub.bytes = part.bytes.subspan(static_cast<size_t>(begin), static_cast<size_t>(size_bytes));
  sub.dtype = sub.dtype.element();
  sub.shape = {size_bytes / std::max<int64_t>(sub.dtype.element_bytes(), 1)};
  return sub;
}

BlobPart PartOf(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner, int64_t offset) {
  BlobPart part;
  part.offset = offset;
  part.size_bytes = static_cast<int64_t>(bytes.size());
  part.shape = {part.size_bytes};
  part.bytes = bytes;
  part.owner = std::move(owner);
  return part;
}

absl::Status Settle(Blob& blob) {
  std::vector<BlobPart> settled;
  std::stable_sort(blob.parts.begin(), blob.parts.end(),
                   [](const BlobPart& a, const BlobPart& b) { return a.offset < b.offset; });
  for (BlobPart& part : blob.parts) {
    if (part.offset < 0 || part.size_bytes > blob.size_bytes ||
        part.offset > blob.size_bytes - part.size_bytes) {
      return absl::InvalidArgumentError(fmt::format("`{}` lies outside of the {} bytes of `{}`",
                                                    part.name, blob.size_bytes, blob.name));
    }
    if (part.size_bytes == 0) continue;
    const int64_t end = part.offset + part.size_bytes;
    // The settled parts are disjoint and in order, so only the last one can overlap this part.
    int64_t covered = part.offset;
    if (!settled.empty()) {
      const BlobPart& last = settled.back();
      covered = std::clamp(last.offset + last.size_bytes, part.offset, end);
      if (!Agree(part, last, part.offset, covered)) {
        return absl::InvalidArgumentError(fmt::format("`{}` and `{}` overlap in `{}`, and differ",
                                                      last.name, part.name, blob.name));
      }
    }
    if (covered == end) continue;
    settled.push_back(SubPart(part, covered - part.offset, end - covered));
  }
  blob.parts = std::move(settled);
  return absl::OkStatus();
}

absl::Status StreamZeros(int64_t count, const ByteSink& sink) {
  if (count <= 0) return absl::OkStatus();
  const std::string zeros(static_cast<size_t>(std::min(count, kStretch)), '\0');
  for (; count > 0; count -= static_cast<int64_t>(zeros.size())) {
    const auto now = std::min(static_cast<size_t>(count), zeros.size());
    TENON_TRY(sink(std::string_view(zeros).substr(0, now)));
  }
  return absl::OkStatus();
}

absl::Status StreamPart(const BlobPart& part, const ByteSink& sink) {
  if (!part.is_splat()) {
    absl::Status status;
    ForEachPiece(
        {{reinterpret_cast<const char*>(part.bytes.data()), part.bytes.size()}, part.is_mapped},
        [&](std::string_view piece) {
          status = sink(piece);
          return status.ok();
        });
    return status;
  }
  const std::string pattern = Pattern(part, std::min(kStretch, part.size_bytes));
  for (int64_t left = part.size_bytes; left > 0;) {
    const int64_t now = std::min(left, static_cast<int64_t>(pattern.size()));
    TENON_TRY(sink(std::string_view(pattern).substr(0, static_cast<size_t>(now))));
    left -= now;
  }
  return absl::OkStatus();
}

absl::Status StreamBlob(const Blob& blob, const ByteSink& sink) {
  int64_t at = 0;
  for (const BlobPart& part : blob.parts) {
    TENON_TRY(StreamZeros(part.offset - at, sink));
    TENON_TRY(StreamPart(part, sink));
    at = part.offset + part.size_bytes;
  }
  return StreamZeros(blob.size_bytes - at, sink);
}

std::string PartSymbol(std::string_view blob, std::string_view part) {
  // The variable of a planned constant: `w_let`, or `w_let_2` for the second `w`.
  constexpr std::string_view kLet = "_let";
  std::string name(part);
  const size_t at = name.rfind(kLet);
  const std::string_view rest =
      at == std::string::npos || at == 0 ? "." : part.substr(at + kLet.size());
  if (rest.empty() || (rest[0] == '_' && rest.find_first_not_of("0123456789", 1) == rest.npos))
    name.erase(at, kLet.size());
  return fmt::format("{}.{}", blob, SanitizeName(name));
}

std::vector<uint8_t> BlobBytes(const Blob& blob) {
  std::vector<uint8_t> bytes;
  bytes.reserve(static_cast<size_t>(blob.size_bytes));
  const absl::Status done = StreamBlob(blob, [&](std::string_view piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    return absl::OkStatus();
  });
  TENON_CHECK(done.ok());
  return bytes;
}

}  // namespace tenon
