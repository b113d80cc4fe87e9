#include "support/file_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace tenon {
namespace {

uintptr_t PageBytes() {
  static const auto bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

void DropPages(PagedBytes bytes) {
  if (!bytes.is_mapped || bytes.bytes.empty()) return;
  const uintptr_t page = PageBytes();
  const auto address = reinterpret_cast<uintptr_t>(bytes.bytes.data());
  const uintptr_t begin = address & ~(page - 1);
  const uintptr_t end = (address + bytes.bytes.size() + page - 1) & ~(page - 1);
  // The result does not matter: pages that stay only cost memory.
  (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

std::string_view FirstPiece(std::string_view bytes) {
  if (bytes.size() <= kPieceBytes) return bytes;
  // A piece ends at the end of a page, so that two pieces do not share a page.
  const auto end = reinterpret_cast<uintptr_t>(bytes.data()) + kPieceBytes;
  return bytes.substr(0, kPieceBytes - (end & (PageBytes() - 1)));
}

bool SameBytes(PagedBytes a, PagedBytes b) {
  if (a.bytes.size() != b.bytes.size()) return false;
  if (a.bytes.data() == b.bytes.data()) return true;
  return ForEachPiece(a, [&b](std::string_view piece) {
    const PagedBytes other{b.bytes.substr(0, piece.size()), b.is_mapped};
    b.bytes.remove_prefix(piece.size());
    const bool same = std::memcmp(piece.data(), other.bytes.data(), piece.size()) == 0;
    DropPages(other);
    return same;
  });
}

}  // namespace tenon
