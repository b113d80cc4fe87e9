#ifndef TENON_IR_ANALYSIS_FULL_STORE_H_
#define TENON_IR_ANALYSIS_FULL_STORE_H_

#include <optional>
#include <vector>

#include "ir/analysis/index_form.h"
#include "ir/module.h"

namespace tenon {

/// Every byte of `bytes` behind the pointer `data` is written, and none of them is read, through
/// `data`, before it is.
struct Overwrite {
  const Var* data = nullptr;
  ByteRange bytes;
};

/// What a nest of loops certainly writes, whenever it runs.
struct NestEffects {
  std::vector<Overwrite> overwrites;
  /// The other pointers through which it reaches memory. One of them that points to the same
  /// storage makes an overwrite doubtful.
  std::vector<const Var*> others;
};

/// The overwrites of the loops `nest`. A store overwrites where it runs in each iteration of loops
/// with constant bounds, in sequences and inner loops too, and its index counts in mixed radix
/// through bytes that lie together: reversed, permuted, fused loops that are divided again,
/// vectors, strides, views with an offset. Of these bytes, later statements may read those that the
/// same iteration of the outer loops has written, such as a sum that was set to zero. The result is
/// empty for nests that call functions of the module, may leave early, or are large.
NestEffects EffectsOfNest(const IRModule& module, const For* nest);

/// The bytes behind its buffer's pointer that a store writes, all of them, whatever variables are;
/// nullopt when they are not constant.
std::optional<ByteRange> BytesStored(const BufferStore* store);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_FULL_STORE_H_
