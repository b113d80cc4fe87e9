#ifndef TENON_IR_ANALYSIS_CONSTANT_LAYOUT_H_
#define TENON_IR_ANALYSIS_CONSTANT_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/constant.h"

// Groups of constants that share stored bytes. Memory planning places the resulting blocks, and
// code generators emit them.

namespace tenon {

/// A statement or a parameter that needs the address of constant data.
struct ConstantUse {
  const Constant* data = nullptr;
  /// The required alignment of the address; see AlignmentOf.
  int64_t alignment = 1;
  /// Uses of different groups never share bytes.
  size_t group = 0;
};

/// Bytes that are stored once: the bytes [begin, end) of `data`.
struct ConstantBlock {
  const Constant* data = nullptr;
  int64_t begin = 0;
  int64_t end = 0;
  /// The required alignment of the first byte. `begin` is also a multiple of it.
  int64_t alignment = 1;
  /// The largest use; the first one if several are equally large.
  size_t largest_use = 0;
  int64_t size_bytes() const { return end - begin; }
};

struct ConstantLayout {
  struct Place {
    size_t block = 0;
    int64_t offset = 0;  ///< in bytes, from the start of the block
  };
  /// In the order of their first uses.
  std::vector<ConstantBlock> blocks;
  /// One for each use.
  std::vector<Place> places;
};

/// The constant that a slice was cut from, through slices of slices, and the byte offset in it. The
/// root of any other constant is itself, at offset 0.
struct ConstantRoot {
  const Constant* data = nullptr;
  int64_t offset = 0;
};
ConstantRoot RootOf(const Constant& constant);

/// The required alignment of a constant: the largest of its declared alignment, `least` and the
/// alignment of its elements. A slice may declare less than `least`.
int64_t AlignmentOf(const Constant& constant, int64_t least);

/// Assigns uses to blocks. Uses of one constant share its bytes. So do overlapping slices, and a
/// slice and its root, if they have the same placement (section, pools, loading) and the slice's
/// offset is a multiple of its alignment. If a constant is used only through slices, the bytes
/// between them are in no block. Time: n log n.
ConstantLayout LayOutConstants(std::span<const ConstantUse> uses);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_CONSTANT_LAYOUT_H_
