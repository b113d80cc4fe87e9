#ifndef TENON_PASSES_LOWERING_MERGE_FUNCTIONS_H_
#define TENON_PASSES_LOWERING_MERGE_FUNCTIONS_H_

#include "passes/pass.h"

namespace tenon {

struct MergeFunctionsOptions {
  int64_t max_parameters = 16;

  static constexpr auto List() {
    return std::make_tuple(
        PassOption{"max-parameters", &MergeFunctionsOptions::max_parameters,
                   "the most parameters that a function gets for numbers that differ"});
  }
};

/// Merges functions that differ only in integers, which become parameters. Layers of the same form
/// then share their code.
///
///   before:
///     @T.prim_func(private=True)
///     def layer(x: T.Buffer((8,), "int32"), y: T.Buffer((8,), "int32")):
///         for i in range(8):
///             y[i] = T.max(T.min(T.shift_right(x[i] * 16 + i + 4, 3), 100), -100)
///
///     @T.prim_func(private=True)
///     def layer_1(x: T.Buffer((8,), "int32"), y: T.Buffer((4,), "int32")):
///         for i in range(4):
///             y[i] = T.max(T.min(T.shift_right(x[i] * 8 + i + 4, 3), 100), -100)
///
///     def main(x: T.Buffer((8,), "int32"), y: T.Buffer((4,), "int32")):
///         a = T.allocate([8], "int32", "global")
///         T.call_extern("int32", "layer", x.data, a)
///         T.call_extern("int32", "layer_1", a, y.data)
///   after:
///     @T.prim_func(private=True)
///     def layer(x: T.Buffer((8,), "int32"), y: T.Buffer((4,), "int32"), n: T.int32):
///         for i in range(n):
///             y_1 = T.Buffer((8,), "int32", data=y.data)
///             y_1[i] = T.max(T.min(T.shift_right(x[i] * (n * 2) + i + 4, 3), 100), -100)
///
///     def main(...):
///         a = T.allocate([8], "int32", "global")
///         T.call_extern("int32", "layer", x.data, a, 8)
///         T.call_extern("int32", "layer", a, y.data, 4)
///
/// - Integers that differ in the same way between the functions share a parameter. So do multiples
///   of an integer, and integers at most 4095 away from it.
/// - An allocation gets the size of the largest of the merged allocations. A parameter's buffer
///   gets the size of the smallest one.
/// - After planning, constants are addresses in a pool, so they are also integers.
/// - A function is left unchanged if it has a symbol, calls another function, returns a value, or
///   if its code is smaller than the code for the parameters.
/// - Functions with different floats or divisors are not merged. Neither are functions with
///   different literals in calls of builtins, except for shifts, bit operations and conditions.
///
/// All calls of a merged function must be `T.call_extern`. The integers must fit in int32.
/// Idempotent.
///
/// A function gets at most `max-parameters` such parameters. With `-Os`, `tenon compile` sets 6,
/// which is enough for addresses and a few other integers, so that loops remain as fast. With
/// `-Oz`, it sets 16. Counters: `merge-functions.functions`, `merge-functions.parameters`.
absl::StatusOr<IRModule> MergeFunctions(const IRModule& module,
                                        const MergeFunctionsOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_MERGE_FUNCTIONS_H_
