#ifndef TENON_PASSES_LOOPS_CHOOSE_BLOCKS_H_
#define TENON_PASSES_LOOPS_CHOOSE_BLOCKS_H_

#include "passes/pass.h"

namespace tenon {

struct ChooseBlocksOptions {
  int64_t registers = 16;
  int64_t register_bytes = 32;
  bool quads = false;

  static constexpr auto List() {
    using O = ChooseBlocksOptions;
    return std::make_tuple(
        PassOption<O, int64_t>{"registers", &O::registers, "vector registers, 4 to 64"},
        PassOption<O, int64_t>{"register-bytes", &O::register_bytes,
                               "bytes of a vector register, 16, 32 or 64"},
        PassOption<O, bool>{"quads", &O::quads,
                            "an instruction adds up four products of 8-bit integers"});
  }
};

/// Computes sums of products of floats or int32 with constants in vectors of the machine's width,
/// where the text has narrower blocks of channels, or constants whose neighbours are not those of
/// the output. analysis/contraction.h finds the sums, and the pass rewrites the loops of the
/// function: unrolled places become a loop again, and sums of several places and channels share
/// their loads.
///
///   before:  for o, p in T.grid(8, 64):           after:  for o, p in T.grid(2, 8):
///                sum = T.allocate([4])                        sum = T.allocate([128])
///                for k in range(32):                          for k in range(32):
///                    for c in range(4):                           sum_1[0:16] = sum_1[0:16] +
///                        sum_1[c] = sum_1[c] +                        T.Broadcast(
///                            x[p * 32 + k] *                              x[p * 256 + k], 16) *
///                            w[o * 128 + k * 4 + c]                   w[o * 512 + k * 16:...]
///                for c in range(4):                               ...
///                    y[o * 256 + p * 4 + c] = sum_1[c]        for place in range(8):
///                                                                 y[o * 1024 + ...:...] = ...
///
/// - Sums with few channels stay if vectors along other results, or along a sum of integers, are
///   fuller.
/// - The layout of the output stays: a vector that covers several blocks of the text is stored in
///   pieces.
/// - The constant is stored in a new order, so that each vector lies side by side in memory.
/// - Sums of floats leave out pads, and zeros between elements. Other padded inputs are copied
///   before, once for all channels.
/// - With `quads`, four products of unsigned and signed 8-bit integers stand together, and the four
///   elements of the constant lie side by side. LLVM code computes them in one instruction of x86
///   (VPDPBUSD).
/// - Text that adds up more sums at once than registers hold, such as `for k, j: y[i, j] += ...`,
///   gets blocks too, and the constant becomes panels of columns. So does text whose neighbouring
///   steps read the constant 1 KB apart or more.
/// - A constant that no cache holds is loaded before its use, with T.prefetch: a part of the next
///   panel in each block of places.
///
/// Sums keep their order, so results are the same, bit for bit. Functions without such sums, and
/// those whose blocks are wide enough, stay. Idempotent.
absl::StatusOr<IRModule> ChooseBlocks(const IRModule& module, const ChooseBlocksOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_CHOOSE_BLOCKS_H_
