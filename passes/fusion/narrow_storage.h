#ifndef TENON_PASSES_FUSION_NARROW_STORAGE_H_
#define TENON_PASSES_FUSION_NARROW_STORAGE_H_

#include <cstdint>

#include "passes/pass.h"

namespace tenon {

struct NarrowStorageOptions {
  int64_t min_bytes = 65;
  bool only_signed = false;
  bool replaceable = false;

  static constexpr auto List() {
    return std::make_tuple(
        PassOption{"min-bytes", &NarrowStorageOptions::min_bytes,
                   "least bytes of an allocation that gets another type"},
        PassOption{"signed", &NarrowStorageOptions::only_signed,
                   "choose signed types only: kernels of libraries read int8 and add an offset"},
        PassOption{"replaceable", &NarrowStorageOptions::replaceable,
                   "bytes of constants may be replaced later, so nothing follows from them"});
  }
};

/// Stores values in the narrowest type that can represent all of them: int8, uint8, int16 or
/// uint16. Allocations and constants become smaller, and loops read fewer bytes.
///
///   before:
///     def f(x: T.Buffer((96,), "int32"), z: T.Buffer((96,), "int32")):
///         w = T.allocate_const([100, -3, 7], "int16", [3])
///         w_1 = T.Buffer((3,), "int16", data=w)
///         y = T.allocate([96], "int16", "global")
///         y_1 = T.Buffer((96,), "int16", data=y)
///         for i in range(96):
///             y_1[i] = T.Cast("int16", T.max(T.min(x[i], 127), -128)) - T.int16(83)
///         for i in range(96):
///             z[i] = T.Cast("int32", y_1[i]) * T.Cast("int32", w_1[i % 3])
///   after:
///     def f(...):
///         w = T.allocate_const([100, -3, 7], "int8", [3])
///         y = T.allocate([96], "int8", "global")
///         y_1 = T.Buffer((96,), "int8", data=y)
///         for i in range(96):
///             y_1[i] = T.Cast("int8", T.max(T.min(x[i], 127), -128))
///         for i in range(96):
///             w_1 = T.Buffer((3,), "int8", data=w)
///             z[i] = T.Cast("int32", T.Cast("int16", y_1[i]) - T.int16(83)) * T.Cast("int32",
///                 w_1[i % 3])
///
/// For each allocation and constant, the pass computes an interval that contains all stored values.
/// It evaluates intervals through casts, sums, products, T.min, T.max, T.Select, shifts, quantised
/// multiplications, and loads of other buffers. There are three ways to store a value in fewer
/// bytes. If several take the same number of bytes, the pass uses the first of them:
///
/// 1. The narrow type stores the value itself, and readers cast it.
/// 2. All stores compute their value from a narrower value, in the same way and with constants, as
///    in the example above. The narrow type stores the narrower value, and readers repeat the
///    computation. A computation with operations other than casts, sums and differences is only
///    repeated if the buffer is read no more often than it is written. Floats that are casts of
///    integers are also stored in this way.
/// 3. The narrow type stores the difference from a constant.
///
/// With `signed=true`, the pass chooses only int8 and int16, for libraries whose kernels read int8
/// and add an offset. It then runs on a module whose operators are separate functions: allocations,
/// parameters and arguments of calls change their types together.
///
/// If all readers of int8 values subtract the same number, and the differences fit in uint8, the
/// buffer stores the differences. It takes the same number of bytes, but loops subtract once before
/// the store, and not at every load.
///
/// If all elements of a buffer have the same value, loads of it become that value.
///
/// Calls connect the pointers of several functions: arguments, parameters, allocations and
/// constants. Connected pointers change their types together, or not at all. A constant that
/// several functions use remains one constant. These keep their types:
///
/// - inputs and outputs of the entry
/// - arguments of functions outside the module, and of packed calls
/// - pointers that are stored, used in arithmetic, or read as another type
/// - slices of constants, the constants they are cut from, and address-significant constants
/// - functions with `Compiler`, `tenon.external`, `tenon.op` or `link_params`
/// - modules with a memory plan
/// - allocations of fewer than `min-bytes` bytes in a single function, because they become
///   registers
///
/// The pass does not consider elements that nothing writes. Reading such an element is an error of
/// the module, which the interpreter reports.
///
/// Results are the same, bit for bit. Each store of the narrow module corresponds to a store of the
/// wide module, and represents the same value. Tests compare both modules store by store.
/// Idempotent.
///
/// Counters: `narrow-storage.pointers` (with a new type), `narrow-storage.bytes` and
/// `narrow-storage.constant_bytes` (saved in allocations and in constants of functions).
absl::StatusOr<IRModule> NarrowStorage(const IRModule& module, const NarrowStorageOptions& options,
                                       PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_NARROW_STORAGE_H_
