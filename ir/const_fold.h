#ifndef TENON_IR_CONST_FOLD_H_
#define TENON_IR_CONST_FOLD_H_

#include <optional>
#include <string>

#include "ir/builder.h"

// TIR's operators on expressions: what `a + b` in the text means, and so when the printer may write
// an operator. They bring both sides to one dtype and fold constants by TIR's table
// (docs/text_format.md); they simplify nothing else.

namespace tenon {

/// The folded form of a binary node over operands of one dtype, or null when the table has no rule.
/// For kAdd to kOr. Divisions by a constant zero are not folded.
const Expr* TryConstFold(NodeBuilder& builder, NodeKind kind, const Expr* a, const Expr* b);
/// True when TryConstFold would give something: an operator in the text would not give the node
/// back.
bool WouldConstFold(NodeKind kind, const Expr* a, const Expr* b);

/// A raw binary node, kAdd to kOr.
const Expr* MakeBinary(NodeBuilder& builder, NodeKind kind, const Expr* a, const Expr* b,
                       SourceRange range = {});

/// Brings both to one dtype by TIR's promotion: broadcast to the wider lanes, floats over integers,
/// the wider width, unsigned on a tie. Gives an error text (for a diagnostic) when there is none.
std::optional<std::string> MatchTypes(NodeBuilder& builder, const Expr** a, const Expr** b);

/// TIR's operator: promotion, folding, else the node. Null, with `error` set, when the dtypes do
/// not match. The operands of kAnd and kOr must be bool.
const Expr* Operator(NodeBuilder& builder, NodeKind kind, const Expr* a, const Expr* b,
                     SourceRange range, std::string* error);

/// TIR's `cast(value, dtype)`: the value itself for its own dtype, immediates converted, pushed
/// into Broadcast (and Ramp for integers), else a Cast.
const Expr* SmartCast(NodeBuilder& builder, DataType dtype, const Expr* value,
                      SourceRange range = {});

/// The value of a call of large_uint_imm: the low and the high 32 bits. Nullopt when they are not
/// constant.
std::optional<uint64_t> LargeUIntValue(const Call* call);

/// `value` wrapped to the width and signedness of an integer dtype.
int64_t WrapToDType(int64_t value, DataType dtype);

/// The constant an expression is, seen through Broadcast: an IntImm or a FloatImm, or null.
const Expr* AsImmediate(const Expr* expr);

}  // namespace tenon

#endif  // TENON_IR_CONST_FOLD_H_
