#ifndef TENON_PASSES_LOOPS_TRANSPOSE_TILES_H_
#define TENON_PASSES_LOOPS_TRANSPOSE_TILES_H_

#include "passes/pass.h"

namespace tenon {

struct TransposeTilesOptions {
  int64_t register_bytes = 64;
  bool strips = true;

  static constexpr auto List() {
    using Options = TransposeTilesOptions;
    return std::make_tuple(PassOption<Options, int64_t>{"register-bytes", &Options::register_bytes,
                                                        "bytes of a vector register"},
                           PassOption<Options, bool>{"strips", &Options::strips,
                                                     "also transpose strips of 2 to 8 rows"});
  }
};

/// Loads and stores whole rows in loops whose loads and stores run along different axes: changes of
/// layout, also with arithmetic on the elements. The pass loads a square tile of rows, transposes
/// it by shuffles of two rows each, and stores it as rows. If there are only a few rows, the tile
/// is a strip, as here:
///
///   before `transpose-tiles,simplify`:
///     def f(x: T.Buffer((64,), "int32"), y: T.Buffer((64,), "int32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         for i, j in T.grid(32, 2):
///             y[i * 2 + j] = x[j * 32 + i]
///   after:
///     def f(...):
///         ...
///         for i in range(2):
///             ...
///             x_5[0:16] = x[i * 16:i * 16 + 16]
///             ...
///             x_6[0:16] = x[i * 16 + 32:i * 16 + 32 + 16]
///             ...
///             x_7[0:16] = T.Shuffle([x_5[0:16], x_6[0:16]], [0, 16, 1, 17, ...])
///             ...
///             x_8[0:16] = T.Shuffle([x_5[0:16], x_6[0:16]], [8, 24, 9, 25, ...])
///             y[i * 32:i * 32 + 16] = x_7[0:16]
///             y[i * 32 + 16:i * 32 + 16 + 16] = x_8[0:16]
///
/// - The iterations must be independent, and must not read what they store. The last tile of an
///   axis may overlap the tile before it.
/// - A tile has 16, 8 or 4 rows: as many as fit in a register of `register-bytes` (default 64) and
///   in both loops. Rows of less than 16 bytes are left unchanged.
/// - Strips consist of two, three, four or eight rows whose elements alternate in the stored
///   buffer, as in `y[k * 3 + i] = x[i * 64 + k]`, or in the loaded one. Their elements fill whole
///   registers. With `strips=false`, such loops and those of the next two items are left unchanged.
/// - A short row continues in the loop before it: the rows of `x[k * 64 + i * 4 + j]` run along `i`
///   and `j`.
/// - Two or four elements that are neighbours in both buffers move together, as in
///   `y[i * 64 + k * 2 + j] = x[k * 64 + i * 2 + j]`.
/// - A loop over a blocked axis of a layout, as in `y[o // 8, o % 8]`, counts as two loops. If the
///   blocks consist of smaller blocks, as in `x[o // 32, o % 32]`, it counts as three.
/// - Loops are left unchanged if a buffer has a third order of axes, or if a condition guards a
///   load that may be outside of its buffer.
///
/// (Eklundh, "A fast computer method for matrix transposing", 1972.) Idempotent. Counter:
/// transpose-tiles.nests.
absl::StatusOr<IRModule> TransposeTiles(const IRModule& module,
                                        const TransposeTilesOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_TRANSPOSE_TILES_H_
