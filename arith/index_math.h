#ifndef TENON_ARITH_INDEX_MATH_H_
#define TENON_ARITH_INDEX_MATH_H_

#include "ir/builder.h"

// Integer arithmetic on expressions that folds constants.

namespace tenon {

/// TIR's operators on integers, with the source range that new nodes get. Operands of different
/// widths are promoted; nothing is folded beyond TIR's table (ir/const_fold.h).
class IndexMath {
 public:
  IndexMath(NodeBuilder& builder, SourceRange range) : builder_(builder), range_(range) {}

  const Expr* Add(const Expr* a, const Expr* b) const { return Binary(NodeKind::kAdd, a, b); }
  const Expr* Sub(const Expr* a, const Expr* b) const { return Binary(NodeKind::kSub, a, b); }
  const Expr* Mul(const Expr* a, const Expr* b) const { return Binary(NodeKind::kMul, a, b); }
  const Expr* Equal(const Expr* a, const Expr* b) const { return Binary(NodeKind::kEQ, a, b); }
  const Expr* And(const Expr* a, const Expr* b) const { return Binary(NodeKind::kAnd, a, b); }
  const Expr* Binary(NodeKind kind, const Expr* a, const Expr* b) const;

  /// `value` in an integer dtype of as many lanes, constants converted.
  const Expr* Convert(DataType dtype, const Expr* value) const;
  /// `value` in every lane; itself when `lanes` is 1 or the value has lanes already.
  const Expr* Widen(const Expr* value, int lanes) const;

  /// The product of extents: int32 when it is a constant that fits, else int64; 1 for none.
  const Expr* Product(Span<const Expr*> extents) const;
  /// The constant in int32 when it fits, else in int64.
  const Expr* Constant(int64_t value) const;

 private:
  NodeBuilder& builder_;
  SourceRange range_;
};

/// The strides of a buffer, made up for a compact one.
Span<const Expr*> StridesOf(NodeBuilder& builder, const Buffer* buffer);

/// One more than the last element that the indices of a buffer reach: the elements that storage for
/// it has. Elements before the pointer, as negative strides reach them, do not count.
const Expr* ReachedElements(NodeBuilder& builder, const Buffer& buffer);

}  // namespace tenon

#endif  // TENON_ARITH_INDEX_MATH_H_
