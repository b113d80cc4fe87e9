#ifndef TENON_SUPPORT_FILE_PAGES_H_
#define TENON_SUPPORT_FILE_PAGES_H_

// Reading what is larger than memory should get: bytes of mapped files, once, from front to back.
//
// A page of a mapping counts as the process's own memory from when it is touched. Whoever reads
// gigabytes (hashing, comparing, writing) therefore does it here: in pieces, dropping the pages of
// each piece behind it. Dropped pages stay in the system's cache of the file; touching them again
// costs a fault, not a read. So this is as fast as reading without it, with a megabyte of pages.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon {

/// Bytes, and whether their pages may be dropped.
struct PagedBytes {
  std::string_view bytes;
  /// They lie in a read-only mapping of a file (FileBytes::is_mapped()), so that what is dropped is
  /// there again when it is touched. Memory of any other kind would lose its contents.
  bool is_mapped = false;
};

/// Size of the pieces: some hundred times a page, and within the cache of a core, so that a second
/// look at a piece (hash, then write) is for free.
inline constexpr size_t kPieceBytes = size_t{1} << 20;

/// Gives back the pages that `bytes` touch, those at its ends included, if it is mapped.
void DropPages(PagedBytes bytes);

/// The first piece of `bytes`: at most kPieceBytes that end at the end of a page, or all.
std::string_view FirstPiece(std::string_view bytes);

/// Calls `f(std::string_view)` for the pieces of `bytes` in order, until it returns false, dropping
/// the pages of each piece behind it. Whether all calls returned true.
template <typename F>
bool ForEachPiece(PagedBytes bytes, F&& f) {
  while (!bytes.bytes.empty()) {
    const std::string_view piece = FirstPiece(bytes.bytes);
    const bool go_on = f(piece);
    DropPages({piece, bytes.is_mapped});
    if (!go_on) return false;
    bytes.bytes.remove_prefix(piece.size());
  }
  return true;
}

/// Whether two ranges have the same bytes. Reads no further than the piece where they differ.
bool SameBytes(PagedBytes a, PagedBytes b);

}  // namespace tenon

#endif  // TENON_SUPPORT_FILE_PAGES_H_
