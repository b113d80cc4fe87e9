#include "ir/constant.h"

#include <xxhash.h>

#include <cstring>

#include "support/check.h"

namespace tenon {
namespace {

ContentHash HashOf(std::span<const uint8_t> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

}  // namespace

Constant::Constant(Symbol name, DataType dtype, std::vector<int64_t> shape, ConstantSource source,
                   ConstantPlacement placement, SourceRange range)
    : name_(name),
      dtype_(dtype),
      shape_(std::move(shape)),
      source_(std::move(source)),
      placement_(std::move(placement)),
      range_(range) {
  for (int64_t extent : shape_) element_count_ *= extent;
  TENON_CHECK(source_.kind != ConstantSource::Kind::kBytes ||
              static_cast<int64_t>(source_.bytes.size()) == size_bytes());
}

// Twice the work when two threads come first, the same result.
bool Constant::MatchesClaim() const {
  Claim claim = claim_.load(std::memory_order_acquire);
  if (claim == Claim::kUnchecked) {
    claim = HashOf(source_.bytes) == source_.hash ? Claim::kTrue : Claim::kFalse;
    claim_.store(claim, std::memory_order_release);
  }
  return claim == Claim::kTrue;
}

bool Constant::has_bytes() const {
  if (source_.kind == ConstantSource::Kind::kSlice) return source_.base->has_bytes();
  if (source_.hash_claimed) return MatchesClaim();
  return source_.kind != ConstantSource::Kind::kHash;
}

absl::StatusOr<std::span<const uint8_t>> Constant::Bytes() const {
  switch (source_.kind) {
    case ConstantSource::Kind::kBytes:
      if (source_.hash_claimed && !MatchesClaim()) {
        return absl::DataLossError("`" + source_.file_key + "` in " + source_.file +
                                   " does not have the hash that the file says it has");
      }
      return source_.bytes;
    case ConstantSource::Kind::kSlice: {
      absl::StatusOr<std::span<const uint8_t>> base = source_.base->Bytes();
      if (!base.ok()) return base.status();
      return base->subspan(static_cast<size_t>(source_.offset), static_cast<size_t>(size_bytes()));
    }
    case ConstantSource::Kind::kHash:
      return absl::FailedPreconditionError("the data of the constant was left out of the text");
    case ConstantSource::Kind::kSplat:
      break;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (expanded_.empty() && size_bytes() > 0) {
    const auto width = static_cast<size_t>(dtype_.element_bytes());
    expanded_.resize(static_cast<size_t>(size_bytes()));
    for (size_t at = 0; at < expanded_.size(); at += width) {
      std::memcpy(expanded_.data() + at, &source_.element, width);
    }
  }
  return std::span<const uint8_t>(expanded_);
}

absl::StatusOr<ContentHash> Constant::Hash() const {
  if (source_.kind == ConstantSource::Kind::kHash || source_.hash_claimed) return source_.hash;
  absl::StatusOr<std::span<const uint8_t>> bytes = Bytes();
  if (!bytes.ok()) return bytes.status();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!hash_) hash_ = HashOf(*bytes);
  return *hash_;
}

bool SameContents(const Constant& a, const Constant& b) {
  if (&a == &b) return true;
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (!a.has_bytes() || !b.has_bytes()) {
    const absl::StatusOr<ContentHash> hash_a = a.Hash();
    const absl::StatusOr<ContentHash> hash_b = b.Hash();
    return hash_a.ok() && hash_b.ok() && *hash_a == *hash_b;
  }
  const std::span<const uint8_t> bytes_a = *a.Bytes();
  const std::span<const uint8_t> bytes_b = *b.Bytes();
  return bytes_a.size() == bytes_b.size() &&
         std::memcmp(bytes_a.data(), bytes_b.data(), bytes_a.size()) == 0;
}

}  // namespace tenon
