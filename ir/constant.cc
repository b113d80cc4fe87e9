#include "ir/constant.h"

#include <algorithm>
#include <cstring>

#include "support/check.h"
#include "support/codec.h"
#include "support/hash.h"
#include "support/status_macros.h"

namespace tenon {
namespace {

ContentHash HashOf(PagedBytes bytes) {
  const Hash128 hash = HashBytes(bytes);
  return {hash.hi, hash.lo};
}

PagedBytes PagedOf(std::span<const uint8_t> bytes, bool is_mapped) {
  return {{reinterpret_cast<const char*>(bytes.data()), bytes.size()}, is_mapped};
}

}  // namespace

std::string LoadMistake(const ConstantPlacement& placement) {
  if (placement.codec.empty()) return {};
  if (!CodecNamed(placement.codec))
    return "unknown codec `" + placement.codec + "`, expected lz4 or zstd";
  return placement.load.empty() ? "`codec` without `load`: expected a pool to decompress to" : "";
}

Constant::Constant(Symbol name, DataType dtype, std::vector<int64_t> shape, ConstantSource source,
                   ConstantPlacement placement, SourceRange range)
    : name_(name),
      dtype_(dtype),
      shape_(std::move(shape)),
      source_(std::move(source)),
      placement_(std::move(placement)),
      range_(range) {
  for (int64_t extent : shape_) element_count_ *= extent;
  TENON_CHECK(source_.kind != ConstantSource::Kind::kSlice || source_.base != nullptr);
  TENON_CHECK(source_.kind != ConstantSource::Kind::kBytes ||
              static_cast<int64_t>(source_.bytes.size()) == size_bytes());
}

// Two threads may both compute this the first time, with the same result.
bool Constant::MatchesClaim() const {
  Claim claim = claim_.load(std::memory_order_acquire);
  if (claim == Claim::kUnchecked) {
    const ContentHash hash = HashOf(PagedOf(source_.bytes, source_.is_mapped));
    claim = hash == source_.hash ? Claim::kTrue : Claim::kFalse;
    claim_.store(claim, std::memory_order_release);
  }
  return claim == Claim::kTrue;
}

Constant::Root Constant::root() const {
  Root root{this, 0};
  while (root.constant->source_.kind == ConstantSource::Kind::kSlice) {
    TENON_DCHECK(root.constant->source_.base != nullptr);
    root.offset += root.constant->source_.offset;
    root.constant = root.constant->source_.base;
  }
  return root;
}

bool Constant::has_bytes() const {
  const Constant& root = *this->root().constant;
  if (root.source_.hash_claimed) return root.MatchesClaim();
  return root.source_.kind != ConstantSource::Kind::kHash;
}

bool Constant::is_mapped() const { return root().constant->source_.is_mapped; }

absl::StatusOr<std::span<const uint8_t>> Constant::Bytes() const {
  const auto [base, offset] = root();
  const ConstantSource& source = base->source_;
  switch (source.kind) {
    case ConstantSource::Kind::kBytes:
      if (source.hash_claimed && !base->MatchesClaim()) {
        return absl::DataLossError("`" + source.file_key + "` in " + source.file +
                                   " does not have the hash that the file claims");
      }
      TENON_CHECK(offset >= 0 &&
                  offset <= static_cast<int64_t>(source.bytes.size()) - size_bytes());
      return source.bytes.subspan(static_cast<size_t>(offset), static_cast<size_t>(size_bytes()));
    case ConstantSource::Kind::kSplat:
      return Expanded(*base, offset);
    case ConstantSource::Kind::kSlice:
    case ConstantSource::Kind::kHash:
      break;
  }
  return absl::FailedPreconditionError("the data of the constant was left out of the text");
}

std::span<const uint8_t> Constant::Expanded(const Constant& splat, int64_t offset) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (expanded_.empty()) {
    expanded_.resize(static_cast<size_t>(size_bytes()));
    splat.FillSplat(offset, expanded_);
  }
  return expanded_;
}

void Constant::FillSplat(int64_t offset, std::span<uint8_t> out) const {
  const auto width = static_cast<size_t>(dtype_.element_bytes());
  uint8_t element[sizeof(source_.element)];
  TENON_CHECK(width > 0 && width <= sizeof(element) && offset >= 0);
  std::memcpy(element, &source_.element, sizeof(element));
  size_t done = std::min(width, out.size());
  for (size_t i = 0; i < done; ++i) out[i] = element[(static_cast<size_t>(offset) + i) % width];
  // Appends a copy of the part that is already filled, which is a whole number of elements.
  while (done < out.size()) {
    const size_t count = std::min(done, out.size() - done);
    std::memcpy(out.data() + done, out.data(), count);
    done += count;
  }
}

absl::StatusOr<PagedBytes> Constant::Paged() const {
  const absl::StatusOr<std::span<const uint8_t>> bytes = Bytes();
  if (!bytes.ok()) return bytes.status();
  return PagedOf(*bytes, is_mapped());
}

absl::Status Constant::ForEachPiece(const std::function<absl::Status(std::string_view)>& f) const {
  const auto [base, offset] = root();
  if (base->source_.kind != ConstantSource::Kind::kSplat) {
    TENON_ASSIGN_OR(const PagedBytes bytes, Paged());
    absl::Status status;
    tenon::ForEachPiece(bytes, [&](std::string_view piece) {
      status = f(piece);
      return status.ok();
    });
    return status;
  }
  // A multiple of all element widths, so that every piece starts with the same byte of an element.
  const auto width = static_cast<size_t>(base->dtype_.element_bytes());
  const size_t most = kPieceBytes / width * width;
  std::vector<uint8_t> piece(std::min(most, static_cast<size_t>(size_bytes())));
  base->FillSplat(offset, piece);
  for (auto left = static_cast<size_t>(size_bytes()); left != 0;) {
    const size_t count = std::min(left, piece.size());
    TENON_TRY(f({reinterpret_cast<const char*>(piece.data()), count}));
    left -= count;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::span<const uint8_t>> Constant::StoredBytes() const {
  absl::StatusOr<std::span<const uint8_t>> bytes = Bytes();
  if (!bytes.ok() || placement_.codec.empty()) return bytes;
  const std::optional<Codec> codec = CodecNamed(placement_.codec);
  if (!codec) return absl::InvalidArgumentError(LoadMistake(placement_));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!compressed_) {
    absl::StatusOr<std::vector<uint8_t>> made = Compress(*codec, *bytes);
    if (!made.ok()) return made.status();
    compressed_ = *std::move(made);
  }
  return std::span<const uint8_t>(*compressed_);
}

absl::StatusOr<ContentHash> Constant::Hash() const {
  if (source_.kind == ConstantSource::Kind::kHash || source_.hash_claimed) return source_.hash;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (hash_) return *hash_;
  }
  ContentHash hash;
  if (root().constant->source_.kind != ConstantSource::Kind::kSplat) {
    TENON_ASSIGN_OR(const PagedBytes bytes, Paged());
    hash = HashOf(bytes);
  } else {
    Hasher hasher;
    TENON_TRY(ForEachPiece([&hasher](std::string_view piece) {
      hasher.Update(piece);
      return absl::OkStatus();
    }));
    const Hash128 value = hasher.Finish();
    hash = {value.hi, value.lo};
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  hash_ = hash;
  return hash;
}

namespace {

/// Both are splats of the same element, so that the bytes need not be compared.
bool SameSplat(const Constant& a, const Constant& b) {
  const ConstantSource& x = a.source();
  const ConstantSource& y = b.source();
  const auto width = static_cast<size_t>(a.dtype().element_bytes());
  return x.kind == ConstantSource::Kind::kSplat && y.kind == ConstantSource::Kind::kSplat &&
         std::memcmp(&x.element, &y.element, width) == 0;
}

}  // namespace

bool SameContents(const Constant& a, const Constant& b) {
  if (&a == &b) return true;
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (SameSplat(a, b)) return true;
  if (!a.has_bytes() || !b.has_bytes()) {
    // A part of a constant whose bytes were left out has no hash of its own.
    const auto [base_a, offset_a] = a.root();
    const auto [base_b, offset_b] = b.root();
    if (base_a != &a && base_b != &b) return offset_a == offset_b && SameContents(*base_a, *base_b);
    const absl::StatusOr<ContentHash> hash_a = a.Hash();
    const absl::StatusOr<ContentHash> hash_b = b.Hash();
    return hash_a.ok() && hash_b.ok() && *hash_a == *hash_b;
  }
  return SameBytes(*a.Paged(), *b.Paged());
}

}  // namespace tenon
