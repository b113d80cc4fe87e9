#ifndef TENON_PASSES_FUSION_FORWARD_PRODUCERS_H_
#define TENON_PASSES_FUSION_FORWARD_PRODUCERS_H_

#include "passes/pass.h"

namespace tenon {

struct ForwardProducersOptions {
  bool keep_moves = false;
  bool keep_pads = false;
  bool replaceable = false;

  static constexpr auto List() {
    return std::make_tuple(
        PassOption<ForwardProducersOptions, bool>{
            "keep-moves", &ForwardProducersOptions::keep_moves,
            "keep values in another order that are read often"},
        PassOption<ForwardProducersOptions, bool>{"keep-pads", &ForwardProducersOptions::keep_pads,
                                                  "keep padded values that unrolled sums read"},
        PassOption<ForwardProducersOptions, bool>{
            "replaceable", &ForwardProducersOptions::replaceable,
            "bytes of constants may be replaced later, so nothing follows from them"});
  }
};

/// Removes a buffer and the nest that fills it, if the buffer's readers can compute the values.
/// Examples are copies, pads, casts, reshapes, layout moves and chains of elementwise operators. A
/// value that a reader stores has at most 512 operations afterwards.
///
///   before:
///     def f(x: T.Buffer((32,), "int8"), y: T.Buffer((32,), "int32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         pad = T.allocate([48], "int8", "global")
///         pad_1 = T.Buffer((48,), "int8", data=pad)
///         for i, c in T.grid(6, 8):
///             pad_1[i * 8 + c] = T.if_then_else(i > 0 and i < 5, x[i * 8 + c - 8], T.int8(0))
///         for i, k, c in T.grid(4, 3, 8):
///             y[i * 8 + c] = y[i * 8 + c] + T.Cast("int32", pad_1[i * 8 + k * 8 + c])
///   after:
///     def f(...):
///         ...
///         for i, k in T.grid(4, 3):
///             if i + k > 0 and i + k < 5:
///                 for c in range(8):
///                     y[i * 8 + c] = y[i * 8 + c] + T.Cast("int32", x[i * 8 + k * 8 + c - 8])
///
/// The pass proves three facts:
///
/// - each element is written once, before it is read: the index of the single store counts in mixed
///   radix; the nest precedes all readers in one list of statements
/// - readers read only written elements: the nest writes the whole buffer; or bounds of each load's
///   index, under its conditions
/// - the value is the same later: nothing in between writes what the value reads
///
/// Without these proofs, the buffer stays. It also stays where it is useful:
///
/// - Its value is expensive (`exp`, divisions, `q_multiply_shift`) and is read more than once.
/// - Its value comes from a larger buffer that fuse-nests can remove.
/// - A condition of the value would change along the loop that is computed in lanes.
///
/// Conditions of pads move out of the loops that do not change them (hoisting,
/// `passes/fusion/hoist_conditions.h`). Unrolled rows of pixels need three more steps:
///
/// - Neighbouring statements share a condition.
/// - The first and last iterations of short loops become copies, in which the condition is known.
/// - The addition of a pad's zeros goes away if the weight is a finite constant and the sum began
///   at +0.
///
/// With `keep-pads=true`, a padded buffer stays if a statement reads it in several places. Unrolled
/// sums without the products of a pad would no longer be a loop, which choose-blocks needs.
///
/// With `keep-moves=true`, a buffer stays that has the elements of another buffer of the workspace
/// in another order, such as a transposition, if each of them is read 16 times or more. Its readers
/// then go through it in order, so that their outputs may overlap it.
///
/// A second run may forward more. Counter: `forward-producers.buffers`.
absl::StatusOr<IRModule> ForwardProducers(const IRModule& module,
                                          const ForwardProducersOptions& options,
                                          PassContext& context);

/// True if a nest of a function only brings elements into another order. Without one, `keep-moves`
/// has no effect.
bool HasMoves(const IRModule& module);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_FORWARD_PRODUCERS_H_
