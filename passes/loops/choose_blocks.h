#ifndef TENON_PASSES_LOOPS_CHOOSE_BLOCKS_H_
#define TENON_PASSES_LOOPS_CHOOSE_BLOCKS_H_

#include "passes/pass.h"

namespace tenon {

struct ChooseBlocksOptions {
  /// The bytes of the smallest registers that the pass uses.
  static constexpr int64_t kLeastRegister = 16;

  int64_t registers = 16;
  int64_t register_bytes = 32;
  bool pairs = false;
  bool quads = false;
  bool small = false;
  bool schedules = false;
  bool replaceable = false;

  static constexpr auto List() {
    using O = ChooseBlocksOptions;
    return std::make_tuple(
        PassOption<O, int64_t>{"registers", &O::registers, "vector registers, 4 to 64"},
        PassOption<O, int64_t>{"register-bytes", &O::register_bytes,
                               "bytes of a vector register, 16, 32 or 64"},
        PassOption<O, bool>{"pairs", &O::pairs,
                            "an instruction adds up two products of 16-bit integers: PMADDWD and "
                            "VPDPWSSD of x86"},
        PassOption<O, bool>{"quads", &O::quads,
                            "an instruction adds up four products of 8-bit integers: VPDPBUSD of "
                            "x86, USDOT and SDOT of AArch64"},
        PassOption<O, bool>{"small", &O::small,
                            "small code: fewer sums in blocks, and a loop computes their results"},
        PassOption<O, bool>{"schedules", &O::schedules,
                            "write the schedule of each function with one sum as its attribute "
                            "`tenon.schedule`"},
        PassOption<O, bool>{"replaceable", &O::replaceable,
                            "bytes of constants may be replaced later, so nothing follows from "
                            "them"});
  }
};

/// Computes sums, maxima and minima in vectors of the machine's width, in blocks whose sums are all
/// in registers. The pass recognises the operator that a function's loops compute
/// (analysis/computation.h), and writes new loops for it. A function may contain several stores,
/// each with one sum.
///
/// Products with constants, as in convolutions and dense layers (`analysis/contraction.h`):
///
/// - The module's layout may have narrower blocks of channels, such as the blocks of 4 of TVM's `c`
///   target. Neighbours in the constant need not be neighbours in the output, as in OIHW.
/// - The layout of the output does not change. A vector that covers several blocks of this layout
///   is stored in pieces. Lanes that are not adjacent, as in NCHW, are stored one by one.
/// - The constant is stored in a new order: all lanes of a vector are adjacent, and so are all
///   steps of a block of channels.
/// - Constants of 8 or 16 bits are always stored in blocks, because x86 has an instruction for two
///   products of 16-bit integers.
/// - Sums of floats omit the products of padding, and of zeros between elements, if they begin at
///   +0 and the constant is finite, because adding a zero product does not change such a sum.
///   Pixels at a border then have separate code. In an image with few columns, a block covers
///   several rows. Other padded or dilated inputs are copied first, once for all channels. For
///   integers, a condition around the products may also exclude the padding.
/// - With fewer than four channels, the lanes are neighbouring pixels.
/// - A matrix product that the module adds up in memory, row by row, becomes blocks of sums in
///   registers, and the constant becomes panels of columns. The pass does so if one step of the sum
///   updates more bytes than fit in the registers, or if neighbouring steps read the constant at
///   least 1 KB apart, so that its rows are in many pages.
/// - Constants that fit in no cache are prefetched with `T.prefetch`. All blocks of pixels read a
///   panel before the next panel begins, and each block prefetches a part of the next panel. If a
///   single block covers all pixels, it prefetches what it reads 16 KB later.
/// - Few channels do not fill vectors, so vectors may run along other loops instead. For sums of
///   integers, these run along neighbouring results if there are fewer than 8 channels, or along 32
///   steps of the sum if there are fewer than 32 channels that are not a multiple of 4. For sums of
///   floats, they run along 16 neighbouring results if there are fewer than 16 channels that are
///   not a multiple of 4.
///
/// A cost model (schedule/cost.h) chooses the numbers of lanes and places of each block. For all
/// other sums, it also chooses the lanes: the pass tries each loop over results.
///
/// - If the elements of neighbouring lanes are not adjacent, they are copied first. If they are at
///   most 4 elements apart, vectors load them together with the elements in between instead.
///   Constants are copied at compile time.
/// - The last vector of a row may overlap the one before it: 15 results are two vectors of 8.
/// - Several sums of floats may also be added up alternately, without vectors, if a copy of all
///   elements would cost more. Each step of a single sum would wait for the step before it.
/// - If vectors run along the steps of a sum of integers (vectorize-sums), the elements of these
///   steps are copied so that they are adjacent.
/// - Padding is omitted as above. If a condition excludes it, the constant need not be finite.
/// - Sums over elements with computed indices, and maxima that keep their first operand, are left
///   unchanged.
///
/// Other operators have no blocks, so only the order of their loops is chosen:
///
/// - Loops that traverse memory contiguously become one loop, and a loop over a blocked axis of a
///   layout, as in `y[o // 4, o % 4]`, becomes two.
/// - Values without sums may have any loop as the innermost one. The cost model counts vectors
///   along it, or tiles of two loops that are transposed in registers (transpose-tiles), and the
///   cache lines of all accesses.
/// - A result with one sum is computed alone: the loops of the sum become the innermost ones. Sums
///   that contain other sums or conditions are left unchanged.
///
/// A function may contain operators in other loops: for example, each step of a recurrent network
/// multiplies matrices. The pass rewrites the nests of these operators, keeps the loops around
/// them, and moves copies of constants out of these loops.
///
/// A loop may compute sums and then use them, as in a pooling of the results of a convolution, or
/// in `w[t] = T.exp(...)` followed by `s[0] = s[0] + w[t]`. If only the uses make its iterations
/// depend on each other, the pass divides it: a few iterations keep their sums in an array, on the
/// stack if it is small, and use them afterwards. The statements stay in order for each element of
/// memory.
///
/// The attribute `tenon.schedule` of a function sets its schedule (docs/reference/schedules.md). It
/// is an error if the loops cannot follow the schedule, and a warning if no sum uses it.
///
/// Sums of floats keep their order, so results are the same, bit for bit. Counters:
/// `choose-blocks.functions`, `choose-blocks.operators` (functions that compute a recognised
/// operator), `choose-blocks.sums`, `choose-blocks.read_back`.
///
/// With `--verify-schedules`, and in builds with assertions, the new loops are read back and
/// compared with the sums of the original loops
/// (docs/reference/schedules.md#validated-not-trusted).
///
/// With `quads`, a lane adds four products of unsigned and signed 8-bit integers together. The four
/// weights of each lane are adjacent in the constant, and so are the four values of the input. LLVM
/// code then needs one `VPDPBUSD` for them (AVX-512 VNNI, AVX-VNNI), or one `USDOT` (AArch64 with
/// I8MM); AArch64 with only signed dot products needs two `SDOT`. With `pairs`, the same holds for
/// two products of 16-bit integers (`PMADDWD`). With `pairs` alone, bytes that are copied first are
/// widened to 16 bits. Bytes that are not copied are multiplied in groups of four, with two
/// instructions. The pipelines of `tenon compile` set both options to match the processor.
///
///   before:
///     def f(x: T.Buffer((2,), "float32"), y: T.Buffer((8,), "float32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         w = T.allocate_const([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], "float32",
///             [16])
///         w_1 = T.Buffer((16,), "float32", data=w)
///         for o, c in T.grid(2, 4):
///             y[o * 4 + c] = T.float32(0)
///             for k in range(2):
///                 y[o * 4 + c] = y[o * 4 + c] + x[k] * w_1[o * 8 + k * 4 + c]
///   after:
///     def f(...):
///         ...
///         weights = T.allocate_const([0.0, 1.0, 2.0, 3.0, 8.0, 9.0, 10.0, 11.0, 4.0, 5.0, 6.0,
///             7.0, 12.0, 13.0, 14.0, 15.0], "float32", [16])
///         block4 = T.allocate([8], "float32", "global",
///             annotations={"candidate_memory_pools": []})
///         ...
///             block4_1[0:8] = block4_1[0:8] + T.Broadcast(x_1[i2], 8) * weights_1[i2 * 8:
///                 i2 * 8 + 8]
///         ...
///         y_1[0:4] = block4_1[0:4]
///         y_1[4:8] = block4_1[4:8]
absl::StatusOr<IRModule> ChooseBlocks(const IRModule& module, const ChooseBlocksOptions& options,
                                      PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_CHOOSE_BLOCKS_H_
