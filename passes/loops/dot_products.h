#ifndef TENON_PASSES_LOOPS_DOT_PRODUCTS_H_
#define TENON_PASSES_LOOPS_DOT_PRODUCTS_H_

#include <string>

#include "passes/pass.h"

namespace tenon {

struct DotProductsOptions {
  int64_t rows = 2;
  int64_t columns = 2;
  int64_t alone = 4;
  int64_t steps = 4;
  std::string combine = "dots4";
  int64_t finish_loop = 0;
  bool finish = false;
  bool schedules = false;

  static constexpr auto List() {
    using O = DotProductsOptions;
    return std::make_tuple(
        PassOption<O, int64_t>{"rows", &O::rows, "places of the output in a block, 1 to 16"},
        PassOption<O, int64_t>{"columns", &O::columns, "channels in a block, 1 to 16"},
        PassOption<O, int64_t>{"alone", &O::alone,
                               "channels in a block of one place, 1 to 16: a dense layer"},
        PassOption<O, int64_t>{"steps", &O::steps,
                               "most dot products of a sum in a round of its loop, 1 to 16"},
        PassOption<O, std::string>{
            "combine", &O::combine,
            "dots4, dots8 or dots16: an instruction gives dot products of at most that many "
            "elements. A sum whose elements are adjacent has fewer if it need not copy them then. "
            "products: scalar products; unsigned-products: and constants are stored plus 128, as "
            "unsigned bytes"},
        PassOption<O, int64_t>{
            "finish-loop", &O::finish_loop,
            "a loop computes the results of a block of one place from its sums if each sum has at "
            "least this number of dot products: one copy of that code for all channels; 0: never"},
        PassOption<O, bool>{"finish", &O::finish,
                            "finish the channels of a block in a loop, which becomes vectors"},
        PassOption<O, bool>{"schedules", &O::schedules,
                            "write the schedule of each function with one sum as its attribute "
                            "`tenon.schedule`"});
  }
};

/// Computes sums of products of 8-bit integers with constants by dot products of 4, 8 or 16
/// elements (`T.dp4a`). Some processors have instructions for them: `SMLAD` of Cortex-M4, M7 and
/// M33, and `VMLADAVA` of Cortex-M55 and M85. A block of places and channels has its sums in
/// registers, and shares its loads. The pass writes new loops for the function.
///
/// - `analysis/contraction.h` finds the sums: convolutions, dense layers, and several of them in
///   one function. A sum may also be a part of another reduction, such as the mean of all places.
/// - The constants get a new order: the neighbouring steps of a dot product of one channel, then
///   the next channel of the block. They must fit int8.
/// - Elements that are not adjacent, or have conditions (borders), are copied first, once for all
///   channels. The copies of a block are a buffer that the planner places. The steps of a dot
///   product are a group; zeros fill up the last group.
/// - Dot products of 16 lanes take factors of one sign. So they multiply unsigned elements less
///   128, and the sum starts with the difference.
/// - A number that is added to every element, such as a zero point, becomes a constant that the sum
///   starts with.
/// - With `unsigned-products`, a sum begins with -128 times the sum of the elements of its place,
///   which all channels share. A Cortex-M0 loads unsigned bytes faster.
/// - Depthwise convolutions stay, because channels share nothing. So do sums of fewer than eight
///   steps or four channels.
///
/// A function with the attribute `tenon.schedule` gets that schedule (docs/reference/schedules.md).
/// A schedule that loops cannot have is an error.
///
/// docs/reference/passes.md#the-pipelines-of-tenon-compile has the options for each processor.
/// Functions that analysis/dataflow.h does not understand stay. Results are the same, bit for bit.
/// Idempotent. Counters: `dot-products.sums`, `dot-products.read_back`.
///
/// With `--verify-schedules`, and in builds with assertions, the new loops are read back and
/// compared with the sums of the text (docs/reference/schedules.md#validated-not-trusted).
///
///   before `dot-products{alone=2 steps=1}`:
///     def f(x: T.Buffer((32,), "uint8"), y: T.Buffer((4,), "int32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         w = T.allocate_const([1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8, 9, 8, 7,
///             6, 5, 4, 3, 2, -9, -8, -7, -6, -5, -4, -3, -2], "int8", [32])
///         for c in range(4):
///             total = T.allocate([1], "int32", "global")
///             total_1 = T.Buffer((1,), "int32", data=total)
///             total_1[0] = 0
///             for k in range(8):
///                 w_1 = T.Buffer((32,), "int8", data=w)
///                 total_1[0] = total_1[0] + T.Cast("int32", x[k]) * T.Cast("int32",
///                     w_1[k * 4 + c])
///             y[c] = total_1[0]
///   after:
///     def f(...):
///         ...
///         weights = T.allocate_const([1, 5, -1, -5, 2, 6, -2, -6, 9, 5, -9, -5, 8, 4, -8, -4, 3,
///             7, -3, -7, 4, 8, -4, -8, 7, 3, -7, -3, 6, 2, -6, -2], "int8", [32])
///         for i0_block in range(2):
///             sum = T.allocate([1], "int32", "global", annotations={"candidate_memory_pools": []})
///             ...
///             for i1_block in range(2):
///                 ...
///                 sum_2[0] = T.dp4a("int32", x_1[i1_block * 4:i1_block * 4 + 4],
///                     weights_1[i0_block * 16 + i1_block * 8:i0_block * 16 + i1_block * 8 + 4],
///                     sum_2[0])
///                 sum_3[0] = T.dp4a("int32", x_1[i1_block * 4:i1_block * 4 + 4],
///                     weights_1[i0_block * 16 + i1_block * 8 + 4:i0_block * 16 + i1_block * 8 + 4
///                     + 4], sum_3[0])
///             ...
///             y_1[i0_block * 2] = sum_2[0]
///             y_1[i0_block * 2 + 1] = sum_3[0]
absl::StatusOr<IRModule> DotProducts(const IRModule& module, const DotProductsOptions& options,
                                     PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_DOT_PRODUCTS_H_
