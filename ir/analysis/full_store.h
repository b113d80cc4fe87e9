#ifndef TENON_IR_ANALYSIS_FULL_STORE_H_
#define TENON_IR_ANALYSIS_FULL_STORE_H_

#include <optional>
#include <vector>

#include "ir/analysis/byte_range.h"
#include "ir/module.h"

namespace tenon {

/// Every byte of `bytes`, relative to the pointer `data`, is written, and no byte is read through
/// `data` before it is written.
struct Overwrite {
  const Var* data = nullptr;
  ByteRange bytes;
};

/// The effects that a loop nest certainly has whenever it runs.
struct NestEffects {
  std::vector<Overwrite> overwrites;
  /// The other pointers through which the nest accesses memory. If one of them points to the same
  /// storage, an overwrite is uncertain.
  std::vector<const Var*> others;
};

/// The overwrites of the loops `nest`. A store overwrites if it runs in each iteration of loops
/// with constant bounds, and its index counts through contiguous bytes in mixed radix. That covers
/// reversed, permuted and fused loops that are divided again, vectors, strides, and views with an
/// offset. Later statements may read the bytes that the same iteration of the outer loops has
/// written, such as a sum that was set to zero. The result is empty for nests that call functions
/// of the module, may leave early, or are large.
NestEffects EffectsOfNest(const IRModule& module, const For* nest);

/// The bytes that a store writes, relative to its buffer's pointer, if they are contiguous and the
/// same for all values of variables; else nullopt.
std::optional<ByteRange> BytesStored(const BufferStore* store);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_FULL_STORE_H_
