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

/// Gives storage the narrowest type that holds all stored values: int8, uint8, int16 or uint16.
/// Allocations and constants become smaller, and loops read fewer bytes.
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
/// The pass finds an interval for each piece of storage, from the values of all its stores and the
/// elements of a constant. Intervals follow casts, sums, products, T.min, T.max, choices, shifts,
/// quantised multiplications, and loads of other storage. A value can be stored in fewer bytes in
/// three ways. If they take the same bytes, the first one wins:
///
/// 1. The narrow type holds the value itself. Readers have a cast.
/// 2. The narrow type holds another value, from which all stores compute theirs with constants, as
///    above. Readers then do this computation. They compute more than casts, sums and differences
///    only if the storage is read no more often than written. Floats that are casts of integers are
///    also stored in this way.
/// 3. The narrow type holds the difference from a constant.
///
/// With `signed=true`, storage only gets int8 and int16, for libraries whose kernels read int8 and
/// add an offset. The pass then runs on a module of calls: allocations, parameters and arguments of
/// calls change their types together.
///
/// Int8 values whose readers all subtract the same number are stored as the differences if these
/// fit in uint8. That takes the same bytes. Loops subtract once before the store, and not at every
/// load.
///
/// A load of storage with the same number in all elements becomes that number.
///
/// Calls connect pointers of several functions: arguments, parameters, allocations and constants.
/// They change their types together, or not at all. A constant of several functions stays one
/// constant. These keep their types:
///
/// - inputs and outputs of the entry
/// - arguments of functions outside the module, and of packed calls
/// - pointers that are stored, computed with, or read as another type
/// - slices of constants, the constants they are cut from, and address-significant constants
/// - functions with `Compiler`, `tenon.external`, `tenon.op` or `link_params`
/// - modules with a memory plan
/// - allocations of fewer than `min-bytes` bytes in a single function, because they become
///   registers
///
/// An element that nothing wrote may hold any value, before and after the pass. Reading such an
/// element is an error of the module, which the interpreter reports. So the pass does not consider
/// it.
///
/// Results are the same, bit for bit. Each store of the narrow module corresponds to a store of the
/// wide module, and stores a number that stands for the same value. Tests compare both modules
/// store by store. Idempotent.
///
/// Counters: `narrow-storage.pointers` (with a new type), `narrow-storage.bytes` and
/// `narrow-storage.constant_bytes` (saved in allocations and in constants of functions).
absl::StatusOr<IRModule> NarrowStorage(const IRModule& module, const NarrowStorageOptions& options,
                                       PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_NARROW_STORAGE_H_
