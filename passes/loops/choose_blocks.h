#ifndef TENON_PASSES_LOOPS_CHOOSE_BLOCKS_H_
#define TENON_PASSES_LOOPS_CHOOSE_BLOCKS_H_

#include "passes/pass.h"

namespace tenon {

struct ChooseBlocksOptions {
  int64_t registers = 16;
  int64_t register_bytes = 32;
  bool pairs = false;
  bool quads = false;
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
        PassOption<O, bool>{"schedules", &O::schedules,
                            "write the schedule of each function with one sum as its attribute "
                            "`tenon.schedule`"},
        PassOption<O, bool>{"replaceable", &O::replaceable,
                            "bytes of constants may be replaced later, so nothing follows from "
                            "them"});
  }
};

/// Computes sums, maxima and minima in vectors of the machine's width, in blocks whose sums are all
/// in registers. The pass writes new loops for a function whose loops prove an operator
/// (analysis/computation.h). A function may have several stores, each with one sum.
///
/// Products with constants, as in convolutions and dense layers (`analysis/contraction.h`):
/// - The text may have narrower blocks of channels, such as the blocks of 4 that TVM's `c` target
///   makes. Or neighbours in the constant are not neighbours in the output, as in OIHW.
/// - The layout of the output stays. A vector that covers several blocks of the text is stored in
///   pieces. Lanes that are apart, as in NCHW, are stored one by one.
/// - The constant gets a new order. All lanes of a vector are adjacent, and a block of channels has
///   all its steps.
/// - Constants of 8 or 16 bits always get blocks. x86 has an instruction for two products of 16-bit
///   integers.
/// - Sums of floats leave out the products of pads, and of zeros between elements, if they begin at
///   +0 and the constant is finite. A zero changes no such sum. Places at a border have code of
///   their own, and a block has several rows of an image with few columns. Other padded or dilated
///   inputs are copied first, once for all channels. For integers, the condition of a pad may also
///   stand around the products.
/// - With fewer than four channels, neighbouring places are the lanes.
/// - With registers of 64 bytes, sums of floats have one vector of channels and many places. A
///   product then copies its number from memory to all lanes for free. A copy that several products
///   share takes a unit that adds on AMD's Zen 4.
/// - A product of matrices that the text adds up in memory, row by row, becomes blocks of sums in
///   registers. The constant becomes panels of columns. This is so if one step of the sum updates
///   more bytes than the registers have, or if neighbouring steps read the constant 1 KB apart or
///   more: such rows lie in many pages.
/// - Constants that no cache holds are loaded before their use, with `T.prefetch`. Blocks of places
///   read one panel after the other. Meanwhile each loads a part of the next panel. If one block
///   has all places, it loads what it reads 16 KB later.
/// - Other vectors may be fuller. Sums of integers: vectors along neighbouring results for fewer
///   than 8 channels, or along 32 steps of the sum for fewer than 32 channels, not a multiple of 4.
///   Sums of floats: vectors along 16 neighbouring results for fewer than 16 channels, not a
///   multiple of 4.
///
/// All other sums: each loop of the results is tried as the lanes, and so are all sizes of blocks.
/// A model of cost (schedule/cost.h) says which is the fastest.
/// - Elements that are apart along the lanes are copied first, unless they are at most 4 elements
///   apart: then vectors are loaded with those between them. Copies of constants are made when the
///   model is compiled.
/// - The last vector of a row may overlap the one before it: 15 results are two vectors of 8.
/// - Sums of floats may also be added up by turns, without vectors, if a copy of all elements would
///   cost more. The steps of one sum would wait for each other.
/// - For vectors along the steps of a sum of integers (vectorize-sums), elements become neighbours.
/// - Pads are left out as above. A condition around the products needs no finite constant.
/// - Elements at computed places, and maxima that keep their first operand, stay as they are.
///
/// Rows of arithmetic without sums, which fill no whole number of vectors, have a last vector that
/// overlaps the one before it.
///
/// A function that is not an operator as a whole may contain operators: each step of a recurrent
/// network multiplies matrices. Their nests get blocks. The loops around them stay, and copies of
/// constants move out of these loops.
///
/// A function with the attribute `tenon.schedule` gets that schedule (docs/schedules.md). A
/// schedule that loops cannot have is an error, and one that no sum uses is a warning.
///
/// Sums of floats keep their order, so results stay the same, bit for bit. Counters:
/// `choose-blocks.functions`, `choose-blocks.operators` (functions whose loops prove an operator),
/// `choose-blocks.sums`, `choose-blocks.read_back`.
///
/// With `--verify-schedules`, and in builds with assertions, the new loops are read back and
/// compared with the sums of the text (docs/schedules.md#validated-not-trusted).
///
/// With `quads`, four products of unsigned and signed 8-bit integers stand together. The four
/// weights of each lane lie side by side in the constant, as do the four numbers of the input. LLVM
/// code then has one `VPDPBUSD` for them (AVX-512 VNNI, AVX-VNNI), or one `USDOT` (AArch64 with
/// I8MM). AArch64 with only the dot products of signed integers has two `SDOT`. With `pairs`, the
/// same holds for two products of 16-bit integers (`PMADDWD`). With `pairs` alone, bytes that are
/// copied first become such integers, and bytes that stay where they are have quads, of two such
/// instructions. The pipelines of `tenon compile` set both options for the processor.
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
