#ifndef TENON_PASSES_STREAMING_STREAM_OPERATORS_H_
#define TENON_PASSES_STREAMING_STREAM_OPERATORS_H_

#include "passes/pass.h"

namespace tenon {

struct StreamOperatorsOptions {
  int64_t enough_bytes = 0;
  bool count_inputs = false;
  bool count_outputs = false;
  bool copy_borders = true;
  bool feed_rows = false;

  static constexpr auto List() {
    using O = StreamOperatorsOptions;
    return std::make_tuple(
        PassOption<O, int64_t>{"enough-bytes", &O::enough_bytes,
                               "do not make the workspace smaller than this"},
        PassOption<O, bool>{"count-inputs", &O::count_inputs,
                            "inputs of the entry will be in the workspace"},
        PassOption<O, bool>{"count-outputs", &O::count_outputs, "the same for outputs"},
        PassOption<O, bool>{
            "copy-borders", &O::copy_borders,
            "copy an input of a group into a padded buffer if that avoids functions for "
            "rows at a border"},
        PassOption<O, bool>{"feed-rows", &O::feed_rows,
                            "take the rows of the entry's input one after another"});
  }
};

/// Runs neighbouring operators of the entry together, row by row, so that only a few rows of the
/// tensors between them are in memory. Each row is computed once, and results are the same bit for
/// bit.
///
///   before:
///     def scale(p0: T.Buffer((64,), "int32"), output: T.Buffer((64,), "int32")):
///         T.func_attr({"tenon.origins": ["scale"], "tir.noalias": T.bool(True)})
///         for y, x in T.grid(8, 8):
///             output[y * 8 + x] = p0[y * 8 + x] * 3
///     def blur(p0: T.Buffer((64,), "int32"), output: T.Buffer((48,), "int32")):
///         T.func_attr({"tenon.origins": ["blur"], "tir.noalias": T.bool(True)})
///         for y, x in T.grid(6, 8):
///             output[y * 8 + x] = p0[y * 8 + x] + p0[y * 8 + x + 16]
///     def main(x: T.Buffer((64,), "int32"), y: T.Buffer((48,), "int32")):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         a = T.allocate([64], "int32", "global")
///         T.call_extern("int32", "scale", x.data, a)
///         T.call_extern("int32", "blur", a, y.data)
///   after:
///     I.module_attrs({"tenon.streaming": {"calls": 2,
///         "candidates": [[0, 0, 256], [1, 1, 256], [0, 1, 96]],
///         "cut": [[0, 1, 96, "scale_to_blur"]], "enough_bytes": 0}})
///     def blur(...):
///         ...
///     @T.prim_func(private=True)
///     def blur_rows(p0: T.Buffer((24,), "int32"), output: T.Buffer((8,), "int32")):
///         T.func_attr({"tenon.origins": ["blur"], "tir.noalias": T.bool(True)})
///         for x in range(8):
///             output[x] = p0[x + 16] + p0[x]
///     def scale(...):
///         ...
///     @T.prim_func(private=True)
///     def scale_rows(p0: T.Buffer((8,), "int32"), output: T.Buffer((8,), "int32")):
///         T.func_attr({"tenon.origins": ["scale"], "tir.noalias": T.bool(True)})
///         for x in range(8):
///             output[x] = p0[x] * 3
///     @T.prim_func(private=True)
///     def scale_to_blur(p0: T.Buffer((64,), "int32"), output: T.Buffer((48,), "int32")):
///         T.func_attr({"tenon.origins": ["scale", "blur"], "tenon.row_distances": [[0, 1, 32]],
///             "tir.noalias": T.bool(True)})
///         a = T.allocate([24], "int32", "global")
///         for step in range(-2, 6):
///             a_1 = T.Buffer((24,), "int32", data=a)
///             for kept in range(2):
///                 if kept + step >= 0:
///                     for i in range(8):
///                         a_1[kept * 8 + i] = a_1[kept * 8 + i + 8]
///             T.call_extern("int32", "scale_rows", T.address_of(p0[step * 8 + 16]),
///                 T.address_of(a_1[16]))
///             if step >= 0:
///                 T.call_extern("int32", "blur_rows", T.address_of(a_1[0]),
///                     T.address_of(output[step * 8]))
///     def main(...):
///         T.func_attr({"tir.noalias": T.bool(True)})
///         T.call_extern("int32", "scale_to_blur", x.data, y.data)
///
/// The entry calls operators (see outline-operators), each of which is a loop nest. Operators that
/// run together form a group. A tensor in a group keeps the rows that its readers still need: the
/// rows of a kernel with its stride and dilation, and rows that a shorter path reads later. In each
/// step, these rows move up, and new ones follow. So an operator always reads neighbouring rows,
/// and one function computes any row. The inner loops of an operator do not change for other
/// passes.
///
/// - A group consists of operators that compute each row of their result from a few rows of their
///   operands: convolutions, pooling, additions, layout changes. If operators of a group have
///   different numbers of rows, some run several times in a step.
/// - The last operator may add up all rows, as a global average does. It becomes three functions:
///   `_begin`, `_rows` and `_end`.
/// - Rows for which a condition differs, such as the condition of padding at a border, need
///   functions of their own: `_row_0` and so on. For integers, padding rows are stored instead, if
///   their value has no effect: the zero point in a sum, or the least value in a maximum. This is
///   impossible for an operand from outside of the group, because its rows are not stored in a
///   ring. With `copy-borders`, up to 512 bytes of such an operand are copied and padded for rows
///   at a border, if two or more rows would need functions.
/// - The pass chooses the groups with the lowest peak, which it estimates without offsets. Among
///   these, it chooses groups with few operators and copies. With `enough-bytes`, it streams no
///   more operators than needed for a peak of that size.
///
/// - With `feed-rows`, the first operator copies the entry's input, and its group has a loop over
///   the rows of this input, with the attribute `tenon.fed_rows`. An input that no group reads row
///   by row is an error. make-row-feed continues after the plan.
/// - The module's attribute `tenon.streaming` lists all possible groups with their estimates, and
///   the chosen ones. `verify-plan` verifies the choice with it.
/// - The attribute `tenon.row_distances` of a group says how far its result may overwrite an
///   operand that dies.
///
/// The pass derives rows from the accesses in the loops. An operator is not streamed if its rows
/// are not clear, or if it may access the same parameter of the entry in another way.
///
/// Counters: `stream-operators.groups`, `stream-operators.operators`, `stream-operators.functions`
/// (functions of rows and of parts).
absl::StatusOr<IRModule> StreamOperators(const IRModule& module,
                                         const StreamOperatorsOptions& options,
                                         PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_STREAMING_STREAM_OPERATORS_H_
