#ifndef TENON_PASSES_LOWERING_INTRIN_RULES_H_
#define TENON_PASSES_LOWERING_INTRIN_RULES_H_

#include <type_traits>

#include "arith/interval.h"
#include "ir/builder.h"
#include "ir/builtins.h"

// Internal to passes/: the rules of lower-intrin. Operands must already be lowered; the rules
// support scalars and vectors.

namespace tenon {

/// Builds raw nodes with one source range, over operands of one dtype.
class IntrinBuilder {
 public:
  IntrinBuilder(NodeBuilder& builder, SourceRange range) : builder_(builder), range_(range) {}

  const Expr* Binary(NodeKind kind, const Expr* a, const Expr* b) const;
  const Expr* Add(const Expr* a, const Expr* b) const { return Binary(NodeKind::kAdd, a, b); }
  const Expr* Sub(const Expr* a, const Expr* b) const { return Binary(NodeKind::kSub, a, b); }
  const Expr* Mul(const Expr* a, const Expr* b) const { return Binary(NodeKind::kMul, a, b); }
  const Expr* Div(const Expr* a, const Expr* b) const { return Binary(NodeKind::kDiv, a, b); }
  const Expr* Mod(const Expr* a, const Expr* b) const { return Binary(NodeKind::kMod, a, b); }
  /// A builtin with the dtype of its first argument.
  const Expr* Call(OpKind op, std::initializer_list<const Expr*> args) const {
    return builder_.NewCall((*args.begin())->dtype, op, args, range_);
  }
  const Expr* Reinterpret(DataType dtype, const Expr* value) const {
    return builder_.NewCall(dtype, OpKind::kReinterpret, {value}, range_);
  }
  const Expr* ShiftRight(const Expr* a, int64_t amount) const {
    return Call(OpKind::kShiftRight, {a, Int(a->dtype, amount)});
  }
  const Expr* And(const Expr* a, const Expr* b) const { return Call(OpKind::kBitwiseAnd, {a, b}); }
  const Expr* Or(const Expr* a, const Expr* b) const { return Call(OpKind::kBitwiseOr, {a, b}); }
  const Expr* Choose(const Expr* condition, const Expr* a, const Expr* b) const {
    return builder_.New<Select>(range_, condition, a, b);
  }
  /// `value` itself if it already has the dtype.
  const Expr* Convert(DataType dtype, const Expr* value) const;
  /// A scalar constant (`value` is wrapped to the dtype) or a Broadcast of one.
  const Expr* Int(DataType dtype, int64_t value) const;
  const Expr* Float(DataType dtype, double value) const;
  /// `value` with the given lanes.
  const Expr* Widen(const Expr* value, int lanes) const;

  /// `body(value)` for a body that uses its argument more than once: binds the value first, unless
  /// it is a variable or a constant.
  template <class F>
  const Expr* Share(const Expr* value, F&& body) const {
    if (IsCheap(value)) return body(value);
    const Var* var = builder_.NewVar("t", value->dtype, range_);
    return builder_.New<Let>(range_, var, value, body(static_cast<const Expr*>(var)));
  }
  static bool IsCheap(const Expr* expr);

  NodeBuilder& nodes() const { return builder_; }
  SourceRange range() const { return range_; }

 private:
  NodeBuilder& builder_;
  SourceRange range_;
};

/// Floor division and its remainder, in truncated arithmetic. The intervals contain every value
/// that a lane of the operands can have.
const Expr* LowerFloorDiv(const IntrinBuilder& make, const Expr* a, const Expr* b,
                          Interval a_bounds, Interval b_bounds);
const Expr* LowerFloorMod(const IntrinBuilder& make, const Expr* a, const Expr* b,
                          Interval a_bounds, Interval b_bounds);

/// The two multiplications of quantised operators. Null if a constant total shift is not between 1
/// and 63: the result is then undefined.
const Expr* LowerMultiplyShift(const IntrinBuilder& make, Span<const Expr*> args);
const Expr* LowerMultiplyShiftPerAxis(const IntrinBuilder& make, Span<const Expr*> args);

/// Mathematics and bits: null if the call must stay.
const Expr* LowerMathCall(const IntrinBuilder& make, const Call* call, bool expand_bits);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_INTRIN_RULES_H_
