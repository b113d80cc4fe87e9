#include "ir/constant.h"

#include <xxhash.h>

#include <cstring>

#include "support/check.h"

namespace tenon {

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

bool Constant::has_bytes() const {
  if (source_.kind == ConstantSource::Kind::kSlice) return source_.base->has_bytes();
  return source_.kind != ConstantSource::Kind::kHash;
}

absl::StatusOr<std::span<const uint8_t>> Constant::Bytes() const {
  switch (source_.kind) {
    case ConstantSource::Kind::kBytes:
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
  if (source_.kind == ConstantSource::Kind::kHash) return source_.hash;
  absl::StatusOr<std::span<const uint8_t>> bytes = Bytes();
  if (!bytes.ok()) return bytes.status();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!hash_) {
    const XXH128_hash_t hash = XXH3_128bits(bytes->data(), bytes->size());
    hash_ = ContentHash{hash.high64, hash.low64};
  }
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
