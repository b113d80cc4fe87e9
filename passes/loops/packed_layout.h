#ifndef TENON_PASSES_LOOPS_PACKED_LAYOUT_H_
#define TENON_PASSES_LOOPS_PACKED_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "ir/analysis/digits.h"
#include "ir/builder.h"
#include "schedule/machine.h"

// Internal to passes/loops: copies of buffers in another order of elements (pack-operands,
// pack-results).

namespace tenon {

/// Elements of 4 bytes in a large register.
inline constexpr int64_t kLongRow = kLargeRegister / 4;

/// A copy of results stays in the second cache, with what else is there.
inline constexpr int64_t kMostPackedResultBytes = kCommonCaches.l2_bytes / 4;

/// A counter of a loop, or a part of one, and its step in the buffer, in elements.
struct PackedAxis : Digits::Leaf {
  int64_t stride = 0;
};

/// The elements of a buffer that a nest accesses, in the order of a compact copy.
struct PackedLayout {
  /// The first element in the buffer.
  int64_t first = 0;
  /// The outermost first.
  std::vector<PackedAxis> axes;
  /// The axes of loops around the copy, which is of other elements in each iteration.
  std::vector<PackedAxis> around;

  int64_t elements() const;
  /// True if each place on all axes is another one of the buffer's `count` elements.
  bool IsOneToOne(int64_t count) const;
};

/// The loops of a nest, with their counters as digits.
class NestLoops {
 public:
  /// False if the counter is not an int32, or its bounds are not constant.
  bool Enter(const For* loop);
  void Leave();

  Digits& digits() { return digits_; }
  FormBuilder& forms() { return forms_; }
  /// The groups of the loops around the current statement.
  const std::vector<int>& open() const { return open_; }
  /// The index in the copy of what the nest accesses in an iteration.
  const Expr* IndexOf(NodeBuilder& builder, const PackedLayout& layout) const;
  /// The index in the buffer of the first element of the copy, in an iteration of the loops around
  /// it.
  const Expr* FirstOf(NodeBuilder& builder, const PackedLayout& layout) const;
  /// The group of a loop that was entered.
  int GroupOf(const For* loop) const;

 private:
  const Expr* Place(NodeBuilder& builder, const Digits::Leaf& part) const;

  Digits digits_;
  FormBuilder forms_{digits_};
  /// All loops so far, by group.
  std::vector<const For*> loops_;
  std::vector<int> open_;
};

/// A buffer for a copy of the layout's elements of `buffer`.
const Buffer* NewPacked(NodeBuilder& builder, const PackedLayout& layout, const Buffer& buffer);

/// `body` inside of the allocation of a buffer from NewPacked().
const Stmt* AllocatePacked(NodeBuilder& builder, const Buffer& packed, const Stmt* body);

/// Loops that copy the elements of a layout from `buffer`, which has them from the index `first`
/// on, to `packed`; with `back`, from `packed` to `buffer`.
const Stmt* PackedCopy(NodeBuilder& builder, const PackedLayout& layout, const Expr* first,
                       const Buffer* buffer, const Buffer* packed, bool back);

}  // namespace tenon

#endif  // TENON_PASSES_LOOPS_PACKED_LAYOUT_H_
