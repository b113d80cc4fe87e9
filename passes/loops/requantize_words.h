#ifndef TENON_PASSES_LOOPS_REQUANTIZE_WORDS_H_
#define TENON_PASSES_LOOPS_REQUANTIZE_WORDS_H_

#include "passes/pass.h"

namespace tenon {

struct RequantizeWordsOptions {
  bool twice = false;
  bool replaceable = false;

  static constexpr auto List() {
    using O = RequantizeWordsOptions;
    return std::make_tuple(
        PassOption<O, bool>{
            "twice", &O::twice,
            "shift the upper word twice and add 1 in between: one instruction for four numbers on "
            "a Cortex-M55 (VRSHL)"},
        PassOption<O, bool>{"replaceable", &O::replaceable,
                            "bytes of constants may be replaced later, so nothing follows from "
                            "them"});
  }
};

/// Computes requantisation in 32 bits, for processors with registers of 32 bits. The pass uses only
/// the upper word of the product of a sum and its multiplier (`SMMLA` of Cortex-M). The lower word
/// cannot change the result, because the number added for rounding is a multiple of 2^32. The
/// result is the same for every value. `tenon compile` runs this pass after dot-products.
///
/// - The pass rewrites calls that do not shift to the left. Their shifts to the right must be
///   constants, of at least 33 bits in total: 31 bits for the multiplier, and 2 or more.
/// - A call of `T.q_multiply_shift` may use other shifts if the analyzer proves that its argument
///   is small, because the argument can then be shifted to the left first.
/// - 64-bit products that are rounded and shifted, as in `.tflite` models, also use only the upper
///   word. With `twice`, a product in q31 becomes a call of `T.q_multiply_shift_per_axis` that LLVM
///   code for a Cortex-M55 computes in one instruction (`VQRDMULH`).
/// - After shifts of more than 62 bits, the result is 0. Channels whose weights are almost zero
///   have such shifts, so the pass limits them.
/// - If a number is added before a clip and another one after it, the pass combines them:
///   `clip(x - 128, -128, 127) + 128` is `clip(x, 0, 255)`.
///
///   before:
///     def f(x: T.Buffer((4,), "int32"), y: T.Buffer((4,), "int32")):
///         r = T.allocate_const([5, 6, 7, 8], "int8", [4])
///         for i in range(4):
///             r_1 = T.Buffer((4,), "int8", data=r)
///             y[i] = T.q_multiply_shift_per_axis(x[i], 1518500250, 0, T.Cast("int32", r_1[i]), 31,
///                 T.bool(False), T.bool(True))
///   after:
///     def f(...):
///         r = T.allocate_const([5, 6, 7, 8], "int8", [4])
///         for i in range(4):
///             r_1 = T.Buffer((4,), "int8", data=r)
///             y[i] = T.shift_right(T.Cast("int32", T.shift_right(T.Cast("int64",
///                 x[i]) * T.int64(1518500250), T.int64(32))) + T.shift_left(1, T.Cast("int32",
///                 r_1[i]) - 2), T.Cast("int32", r_1[i]) - 1)
///
/// A call of `T.q_multiply_shift` is left unchanged if its factor is one half, because TVM rounds
/// this case differently. Idempotent.
absl::StatusOr<IRModule> RequantizeWords(const IRModule& module,
                                         const RequantizeWordsOptions& options,
                                         PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_REQUANTIZE_WORDS_H_
