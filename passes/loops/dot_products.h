#ifndef TENON_PASSES_LOOPS_DOT_PRODUCTS_H_
#define TENON_PASSES_LOOPS_DOT_PRODUCTS_H_

#include "passes/pass.h"

namespace tenon {

struct DotProductsOptions {
  int64_t rows = 2;
  int64_t columns = 2;
  int64_t alone = 4;
  int64_t steps = 4;
  int64_t lanes = 4;
  int64_t finish_loop = 0;
  bool words = true;
  bool finish = false;
  bool unsigned_weights = false;

  static constexpr auto List() {
    using O = DotProductsOptions;
    return std::make_tuple(
        PassOption<O, int64_t>{"rows", &O::rows, "places of the output in a block, 1 to 16"},
        PassOption<O, int64_t>{"columns", &O::columns, "channels in a block, 1 to 16"},
        PassOption<O, int64_t>{"alone", &O::alone,
                               "channels in a block of one place, 1 to 16: a dense layer"},
        PassOption<O, int64_t>{"steps", &O::steps,
                               "most dot products of a sum in a round of its loop, 1 to 16"},
        PassOption<O, int64_t>{"lanes", &O::lanes, "most elements in a dot product: 4, 8 or 16"},
        PassOption<O, int64_t>{"finish-loop", &O::finish_loop,
                               "a loop uses the sums of a block of one place if each has at least "
                               "so many dot products; 0: never"},
        PassOption<O, bool>{"words", &O::words, "false: products in place of each dot product"},
        PassOption<O, bool>{"finish", &O::finish,
                            "finish the channels of a block in a loop, which becomes vectors"},
        PassOption<O, bool>{"unsigned-weights", &O::unsigned_weights,
                            "constants are stored plus 128; needs words=false"});
  }
};

/// Computes sums of products of 8-bit integers with constants by dot products (`dp4a`) of 4, 8 or
/// 16 elements, for processors that have instructions for them, or by scalars (`words=false`). The
/// sums of a block of places and channels are in registers, and share their loads.
/// analysis/contraction.h finds the sums, and the pass rewrites the loops of the function.
///
///   before:  for i, c in T.grid(8, 16):       after:  for i, c in T.grid(4, 8):
///                sum_1[0] = 0                             sum_1[0] = 0; sum_2[0] = 0; ...
///                for k in range(64):                      for k in range(16):
///                    sum_1[0] = sum_1[0] +                    sum_1[0] = T.dp4a("int32",
///                        x[i * 64 + k] *                          x[i * 128 + k * 4:...],
///                        w[k * 16 + c]                            weights[c * 128 + k * 8:...],
///                y[i * 16 + c] = f(sum_1[0])                      sum_1[0])
///                                                             ...
///                                                         y[i * 32 + c * 2] = f(sum_1[0]) ...
///
/// - Constants lie in a new order: the steps of a dot product of one channel are side by side, for
///   all channels of a block.
/// - Elements of memory that do not lie side by side, or have conditions (borders), are copied
///   before, once for all channels.
/// - A number that is added to each element, such as a zero point, becomes a constant of each sum.
/// - With unsigned-weights, each sum begins with -128 times the sum of its elements, which is
///   computed once for all channels.
///
/// Sums of integers wrap, so results are the same, bit for bit. Functions without such sums, and
/// those that analysis/dataflow.h does not understand, stay. Idempotent.
absl::StatusOr<IRModule> DotProducts(const IRModule& module, const DotProductsOptions& options,
                                     PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_DOT_PRODUCTS_H_
