#ifndef TENON_SUPPORT_FILE_PAGES_H_
#define TENON_SUPPORT_FILE_PAGES_H_

// Reading mapped files that may be larger than memory, once, from front to back.
//
// A page of a mapping counts as memory of the process once it is touched. Code that reads gigabytes
// (hashing, comparing, writing) therefore uses these functions, which read in pieces and drop the
// pages of each piece afterwards. Dropped pages stay in the system's file cache; touching them
// again costs a fault, not a read. So this is as fast as reading directly, but only needs a
// megabyte of pages.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon {

/// Bytes, and whether their pages may be dropped.
struct PagedBytes {
  std::string_view bytes;
  /// The bytes are in a read-only mapping of a file (FileBytes::is_mapped()), so that dropped pages
  /// are read again when they are touched. Any other memory would lose its contents.
  bool is_mapped = false;
};

/// Size of a piece in bytes: a few hundred pages. It fits a core's cache, so that a second pass
/// over a piece (hash, then write) is cheap.
inline constexpr size_t kPieceBytes = size_t{1} << 20;

/// Drops the pages of `bytes`, including partial pages at the ends, if they are mapped.
void DropPages(PagedBytes bytes);

/// The first piece of `bytes`: at most kPieceBytes that end at the end of a page, or all of
/// `bytes`.
std::string_view FirstPiece(std::string_view bytes);

/// Calls `f(std::string_view)` for the pieces of `bytes` in order, until `f` returns false. Drops
/// the pages of each piece afterwards. Returns whether all calls returned true.
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

/// Whether two ranges have the same bytes. Stops at the first piece that differs.
bool SameBytes(PagedBytes a, PagedBytes b);

}  // namespace tenon

#endif  // TENON_SUPPORT_FILE_PAGES_H_
