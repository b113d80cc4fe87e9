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

/// Removes a buffer and the nest that fills it, if the buffer's readers can compute the values
/// themselves. Examples are copies, padding, casts, reshapes, layout changes and chains of
/// elementwise operators. Afterwards, a stored value consists of at most 512 operations.
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
/// The pass must prove that
///
/// - each element is written exactly once, before it is read: the index of the single store
///   enumerates the elements like digits of a number, and the nest precedes all readers in one list
///   of statements;
/// - readers read only written elements: the nest writes the whole buffer, or the bounds of each
///   load's index, under its conditions, are within the written elements;
/// - the value does not change in between: nothing writes what it reads.
///
/// Without these proofs, the buffer is kept. It is also kept if it is useful:
///
/// - Its value is expensive (`exp`, divisions, `q_multiply_shift`) and is read more than once.
/// - Its value is computed from a larger buffer that fuse-nests can remove.
/// - A condition in its value would vary along the loop that later passes vectorise.
///
/// Conditions of padding move out of the loops whose variables they do not contain
/// (`passes/fusion/hoist_conditions.h`). Unrolled rows of pixels need three more steps:
///
/// - Neighbouring statements with the same condition are put under one condition.
/// - The first and last iterations of short loops are peeled, because the condition is known in
///   them.
/// - The addition of a padding zero is removed if the weight is a finite constant and the sum began
///   at +0.
///
/// With `keep-pads=true`, a padded buffer is kept if a statement reads it at several indices. If
/// unrolled sums omitted the products of the padding, they would no longer form a loop, which
/// choose-blocks needs.
///
/// With `keep-moves=true`, a buffer is kept if it only reorders the elements of another buffer of
/// the workspace, as a transposition does, and each element is read 16 times or more. Readers then
/// read it in order, so that their outputs may overlap it.
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
