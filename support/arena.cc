#include "support/arena.h"

#include <algorithm>

#include "support/check.h"

namespace tenon {

namespace {
constexpr size_t kLargestChunk = size_t{1} << 20;
}  // namespace

void* Arena::AllocateSlow(size_t size, size_t align) {
  TENON_CHECK(align <= 16 && size < (size_t{1} << 62));
  const size_t needed = size + align;
  if (needed > next_chunk_ / 2) {
    // A chunk of its own: the rest of the current one stays in use.
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(needed));
    bytes_reserved_ += needed;
    const auto begin = reinterpret_cast<uintptr_t>(chunks_.back().get());
    return reinterpret_cast<void*>((begin + (align - 1)) & ~static_cast<uintptr_t>(align - 1));
  }
  chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(next_chunk_));
  bytes_reserved_ += next_chunk_;
  cursor_ = reinterpret_cast<uintptr_t>(chunks_.back().get());
  limit_ = cursor_ + next_chunk_;
  next_chunk_ = std::min(next_chunk_ * 2, kLargestChunk);
  return Allocate(size, align);
}

}  // namespace tenon
