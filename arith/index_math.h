#ifndef TENON_ARITH_INDEX_MATH_H_
#define TENON_ARITH_INDEX_MATH_H_

#include "ir/builder.h"

// Integer arithmetic on expressions that folds constants.

namespace tenon {

/// TIR's operators on integers, with the source range for new nodes. Operands of different widths
/// are promoted; only TIR's table is folded (ir/const_fold.h).
class IndexMath {
 public:
  IndexMath(NodeBuilder& builder, SourceRange range) : builder_(builder), range_(range) {}

  const Expr* Add(const Expr* a, const Expr* b) const { return Binary(NodeKind::kAdd, a, b); }
  const Expr* Sub(const Expr* a, const Expr* b) const { return Binary(NodeKind::kSub, a, b); }
  const Expr* Mul(const Expr* a, const Expr* b) const { return Binary(NodeKind::kMul, a, b); }
  const Expr* Equal(const Expr* a, const Expr* b) const { return Binary(NodeKind::kEQ, a, b); }
  const Expr* And(const Expr* a, const Expr* b) const { return Binary(NodeKind::kAnd, a, b); }
  const Expr* Binary(NodeKind kind, const Expr* a, const Expr* b) const;

  /// `value` in an integer dtype with the same lanes; constants are converted.
  const Expr* Convert(DataType dtype, const Expr* value) const;
  /// `value` in every lane; `value` itself if `lanes` is 1 or it already has lanes.
  const Expr* Widen(const Expr* value, int lanes) const;

  /// The product of extents: int32 if it is a constant that fits, otherwise int64; 1 if there are
  /// none.
  const Expr* Product(Span<const Expr*> extents) const;
  /// The constant in int32 if it fits, otherwise in int64.
  const Expr* Constant(int64_t value) const;

 private:
  NodeBuilder& builder_;
  SourceRange range_;
};

/// The strides of a buffer; computed from the shape for a compact one.
Span<const Expr*> StridesOf(NodeBuilder& builder, const Buffer* buffer);

/// The number of elements of the buffer's storage: one more than the last element that its indices
/// reach. Elements before the pointer, which negative strides reach, do not count.
const Expr* ReachedElements(NodeBuilder& builder, const Buffer& buffer);

/// A buffer of one dimension over a new pointer.
const Buffer* NewFlatBuffer(NodeBuilder& builder, std::string_view name, DataType dtype,
                            int64_t elements);

}  // namespace tenon

#endif  // TENON_ARITH_INDEX_MATH_H_
