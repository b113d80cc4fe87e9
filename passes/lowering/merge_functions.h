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

/// Makes one function of functions that differ only in integers, which become parameters. The
/// layers of a network that have one form then have one code.
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
/// - Numbers that differ in the same way share a parameter. So do multiples of a number, and
///   numbers at most 4095 away from it.
/// - Allocations have the size of the largest one. A parameter promises the bytes of the smallest
///   one.
/// - After planning, constants are addresses in a pool, so they are numbers too.
/// - A function that has a symbol, calls another, or returns a value stays. So does one whose code
///   is smaller than that for the parameters.
/// - Functions with different floats or divisors stay. So do functions with different literals of a
///   builtin, other than shifts, operations on bits and conditions.
///
/// The pass takes functions that all callers call by `T.call_extern`. Numbers must fit int32.
/// Idempotent.
///
/// A function has at most `max-parameters` of these parameters. `tenon compile` gives 6 with `-Os`,
/// for addresses and few other numbers, so that loops stay as fast. With `-Oz` it gives 16.
/// Counters: `merge-functions.functions`, `merge-functions.parameters`.
absl::StatusOr<IRModule> MergeFunctions(const IRModule& module,
                                        const MergeFunctionsOptions& options, PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_MERGE_FUNCTIONS_H_
