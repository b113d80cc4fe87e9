#ifndef TENON_PASSES_LOOPS_TRANSPOSE_TILES_H_
#define TENON_PASSES_LOOPS_TRANSPOSE_TILES_H_

#include "passes/pass.h"

namespace tenon {

struct TransposeTilesOptions {
  int64_t register_bytes = 64;

  static constexpr auto List() {
    return std::make_tuple(PassOption<TransposeTilesOptions, int64_t>{
        "register-bytes", &TransposeTilesOptions::register_bytes,
        "bytes of a vector register; default 64"});
  }
};

/// Reads and writes rows in loops whose loads and stores run along different axes. A square tile
/// of rows is read, transposed by shuffles of two vectors each, and stored as rows.
///
///   before:  for i in range(64):                 after:  for i in range(4):
///                for k in range(64):                         for k in range(4):
///                    y[i * 64 + k] = x[k * 64 + i]               a[0:16] = x[k * 1024 + i *
///                    16:...]
///                                                                ... 15 more rows
///                                                                b[0:16] = shuffle(a[0:16],
///                                                                a[128:144])
///                                                                ... 63 more shuffles
///                                                                y[i * 1024 + k * 16:...] =
///                                                                e[0:16]
///                                                                ... 15 more rows
///
/// A loop over blocks of a layout, as in `y[o // 8, o % 8]`, counts as two. Elements under a
/// condition must be inside of their buffer. The iterations must be independent, and must not read
/// what they store: the last tile of an axis may overlap the tile before it. A row has 4, 8 or 16
/// elements, at most one register. (Eklundh, "A fast computer method for matrix transposing",
/// 1972.) Idempotent. Counter: transpose-tiles.nests.
absl::StatusOr<IRModule> TransposeTiles(const IRModule& module,
                                        const TransposeTilesOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_TRANSPOSE_TILES_H_
