#include "support/arena.h"

#include <sys/mman.h>

#include <algorithm>

#include "support/check.h"

namespace tenon {

namespace {

constexpr size_t kLargestChunk = size_t{16} << 20;
constexpr uintptr_t kHugePage = uintptr_t{2} << 20;

/// Asks for huge pages if a chunk contains some: a module of tens of megabytes is written once from
/// end to end, and page faults take a tenth of the time. A system without huge pages is not an
/// error.
void PreferHugePages([[maybe_unused]] uintptr_t begin, [[maybe_unused]] uintptr_t end) {
#ifdef MADV_HUGEPAGE
  begin = (begin + kHugePage - 1) & ~(kHugePage - 1);
  end &= ~(kHugePage - 1);
  if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace

void* Arena::AllocateSlow(size_t size, size_t align) {
  TENON_CHECK(align <= 16 && size < (size_t{1} << 62));
  const size_t needed = size + align;
  if (needed > next_chunk_ / 2) {
    // Uses a separate chunk: the rest of the current one stays in use.
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(needed));
    bytes_reserved_ += needed;
    const auto begin = reinterpret_cast<uintptr_t>(chunks_.back().get());
    return reinterpret_cast<void*>((begin + (align - 1)) & ~static_cast<uintptr_t>(align - 1));
  }
  chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(next_chunk_));
  bytes_reserved_ += next_chunk_;
  cursor_ = reinterpret_cast<uintptr_t>(chunks_.back().get());
  limit_ = cursor_ + next_chunk_;
  PreferHugePages(cursor_, limit_);
  next_chunk_ = std::min(next_chunk_ * 2, kLargestChunk);
  return Allocate(size, align);
}

}  // namespace tenon
