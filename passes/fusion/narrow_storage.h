#ifndef TENON_PASSES_FUSION_NARROW_STORAGE_H_
#define TENON_PASSES_FUSION_NARROW_STORAGE_H_

#include <cstdint>

#include "passes/pass.h"

namespace tenon {

struct NarrowStorageOptions {
  int64_t min_bytes = 65;
  bool only_signed = false;

  static constexpr auto List() {
    return std::make_tuple(
        PassOption{"min-bytes", &NarrowStorageOptions::min_bytes,
                   "least bytes of an allocation that gets another type"},
        PassOption{"signed", &NarrowStorageOptions::only_signed,
                   "choose signed types only: kernels of libraries read int8 and add an offset"});
  }
};

/// Gives storage the narrowest type that holds all values that are stored. A chain of operations is
/// cut at its narrowest value, and readers compute the rest.
///
///   before:  y = T.allocate([64], "int16", "global")
///            ... y_1[i] = T.Cast("int16", x[i]) - T.int16(83)
///            ... z[i] = T.Cast("int32", y_1[i]) * T.Cast("int32", w_1[i])
///   after:   y = T.allocate([64], "int8", "global")
///            ... y_1[i] = x[i]
///            ... z[i] = T.Cast("int32", T.Cast("int16", y_1[i]) - T.int16(83)) *
///                       T.Cast("int32", w_1[i])
///
/// Allocations, constants, and parameters and arguments of calls change their types together.
/// Inputs and outputs of the entry keep theirs, and so does storage that something other than a
/// load or a store knows. An element that is read before it is written may hold anything, before
/// and after.
///
/// With `signed`, storage never gets an unsigned type: numbers of 0 to 255 become int8 with an
/// offset of 128. Run it on a module of calls before operators go to a library with such kernels.
///
/// Idempotent. Counters: narrow-storage.pointers (that got another type),
/// narrow-storage.bytes (saved in allocations of constant size), narrow-storage.constant_bytes.
absl::StatusOr<IRModule> NarrowStorage(const IRModule& module, const NarrowStorageOptions& options,
                                       PassContext& context);

}  // namespace tenon

#endif  // TENON_PASSES_FUSION_NARROW_STORAGE_H_
