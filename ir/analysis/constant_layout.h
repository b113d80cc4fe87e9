#ifndef TENON_IR_ANALYSIS_CONSTANT_LAYOUT_H_
#define TENON_IR_ANALYSIS_CONSTANT_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/constant.h"

// Which bytes of constants are stored once: what memory planning places and what code generators
// emit.

namespace tenon {

/// Something that needs the address of constant data.
struct ConstantUse {
  const Constant* data = nullptr;
  /// What the address is to be a multiple of; see AlignmentOf.
  int64_t alignment = 1;
  /// Uses of different groups share nothing.
  size_t group = 0;
};

/// Bytes that are stored once: those of `data` from `begin` to `end`.
struct ConstantBlock {
  const Constant* data = nullptr;
  int64_t begin = 0;
  int64_t end = 0;
  /// What the address of the first byte is to be a multiple of; `begin` is one, too.
  int64_t alignment = 1;
  /// The first of the uses with the most bytes.
  size_t largest_use = 0;
  int64_t size_bytes() const { return end - begin; }
};

struct ConstantLayout {
  struct Place {
    size_t block = 0;
    int64_t offset = 0;  ///< bytes from the first of the block
  };
  /// In the order of their first uses.
  std::vector<ConstantBlock> blocks;
  /// One for each use.
  std::vector<Place> places;
};

/// The constant that a slice was cut from, through slices of slices, and at which byte; any other
/// constant itself, at 0.
struct ConstantRoot {
  const Constant* data = nullptr;
  int64_t offset = 0;
};
ConstantRoot RootOf(const Constant& constant);

/// What the address of a constant is to be a multiple of: the alignment that it says or the
/// `least` one, whichever is larger, and that of its elements. A slice may say less than `least`.
int64_t AlignmentOf(const Constant& constant, int64_t least);

/// Uses of one constant share its bytes, and so do a slice and what it was cut from, and slices
/// that overlap, where they are placed alike (section, pools, how they are loaded) and the slice
/// lies at a multiple of its alignment. Of a constant that is used through slices alone the parts
/// between them are in no block. Time: n log n.
ConstantLayout LayOutConstants(std::span<const ConstantUse> uses);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_CONSTANT_LAYOUT_H_
