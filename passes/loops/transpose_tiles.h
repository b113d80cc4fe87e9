#ifndef TENON_PASSES_LOOPS_TRANSPOSE_TILES_H_
#define TENON_PASSES_LOOPS_TRANSPOSE_TILES_H_

#include "passes/pass.h"

namespace tenon {

struct TransposeTilesOptions {
  int64_t register_bytes = 64;
  bool strips = true;

  static constexpr auto List() {
    using Options = TransposeTilesOptions;
    return std::make_tuple(
        PassOption<Options, int64_t>{"register-bytes", &Options::register_bytes,
                                     "bytes of a vector register; default 64"},
        PassOption<Options, bool>{"strips", &Options::strips,
                                  "also transpose strips of 2 to 8 rows; default true"});
  }
};

/// Reads and writes rows in loops whose loads and stores run along different axes. A square tile
/// of rows is read, transposed by shuffles of two vectors each, and stored as rows.
///
///   before:  for i in range(64):                 after:  for i in range(4):
///                for k in range(64):                         for k in range(4):
///                    y[i * 64 + k] = x[k * 64 + i]               ... 16 rows of x
///                                                                ... 64 shuffles of two rows
///                                                                ... 16 rows of y
///
/// Strips of two, three, four or eight rows that are stored or loaded by turns have rows of whole
/// registers. A short row continues in the loop before it, and two or four neighbours may move
/// together. A loop over blocks of a layout, as in `y[o // 8, o % 8]`, counts as two. Elements
/// under a condition must be inside of their buffer. The iterations must be independent, and must
/// not read what they store: the last tile of an axis may overlap the tile before it. (Eklundh, "A
/// fast computer method for matrix transposing", 1972.) Idempotent. Counter: transpose-tiles.nests.
absl::StatusOr<IRModule> TransposeTiles(const IRModule& module,
                                        const TransposeTilesOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_TRANSPOSE_TILES_H_
