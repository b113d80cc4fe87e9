#ifndef TENON_IR_CONST_FOLD_H_
#define TENON_IR_CONST_FOLD_H_

#include <optional>
#include <string>

#include "ir/builder.h"

// TIR's operators on expressions: the meaning of `a + b` in the text, which also decides when the
// printer may write an operator. Operators convert both sides to one dtype and fold constants by
// TIR's table (docs/reference/text_format.md); they simplify nothing else.

namespace tenon {

/// The folded form of a binary node (kAdd to kOr) over operands of one dtype, or null if the table
/// has no rule. Divisions by a constant zero are not folded.
const Expr* TryConstFold(NodeBuilder& builder, NodeKind kind, const Expr* a, const Expr* b);
/// True if TryConstFold would fold: an operator in the text would not give the node back.
bool WouldConstFold(NodeKind kind, const Expr* a, const Expr* b);

/// True for kEQ to kGE.
constexpr bool IsComparison(NodeKind kind) {
  return kind >= NodeKind::kEQ && kind <= NodeKind::kGE;
}
/// Whether a comparison of two numbers holds.
bool Holds(NodeKind comparison, int64_t a, int64_t b);
bool Holds(NodeKind comparison, double a, double b);

/// A raw binary node, kAdd to kOr.
const Expr* MakeBinary(NodeBuilder& builder, NodeKind kind, const Expr* a, const Expr* b,
                       SourceRange range = {});

/// Converts both operands to one dtype by TIR's promotion: broadcast to the wider lanes, floats
/// over integers, the wider width, unsigned on a tie. Returns an error text for a diagnostic if
/// there is no common dtype, else nullopt.
std::optional<std::string> MatchTypes(NodeBuilder& builder, const Expr** a, const Expr** b);

/// TIR's operator: promotion, folding, else the node. Null, with `error` set, when the dtypes do
/// not match. The operands of kAnd and kOr must be bool.
const Expr* Operator(NodeBuilder& builder, NodeKind kind, const Expr* a, const Expr* b,
                     SourceRange range, std::string* error);

/// TIR's `cast(value, dtype)`: the value itself for its own dtype, immediates converted, pushed
/// into Broadcast (and Ramp for integers), else a Cast.
const Expr* SmartCast(NodeBuilder& builder, DataType dtype, const Expr* value,
                      SourceRange range = {});

/// The value of a call of large_uint_imm, whose arguments are the low and the high 32 bits. Nullopt
/// if they are not constant.
std::optional<uint64_t> LargeUIntValue(const Call* call);

/// `value` wrapped to the width and signedness of an integer dtype.
int64_t WrapToDType(int64_t value, DataType dtype);

/// The IntImm or FloatImm that an expression is, looking through Broadcast; else null.
const Expr* AsImmediate(const Expr* expr);

}  // namespace tenon

#endif  // TENON_IR_CONST_FOLD_H_
