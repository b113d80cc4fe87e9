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

/// What the loops `nest` overwrite: loops with constant bounds around one store or a sequence of
/// stores, nests and anything else, where a store's index counts, in mixed radix, through bytes
/// that lie together (reversed, permuted, fused loops that are divided again, vectors, strides,
/// views with an offset), and what follows in the sequence reads, of these, only what the same
/// iteration of the loops around has written (a sum that is set to zero first). Nothing where it
/// calls functions of the module, may leave early, or is large.
NestEffects EffectsOfNest(const IRModule& module, const For* nest);

/// The bytes behind its buffer's pointer that a store writes, all of them, whatever variables are;
/// nullopt when they are not constant.
std::optional<ByteRange> BytesStored(const BufferStore* store);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_FULL_STORE_H_
