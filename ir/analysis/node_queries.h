#ifndef TENON_IR_ANALYSIS_NODE_QUERIES_H_
#define TENON_IR_ANALYSIS_NODE_QUERIES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/expr.h"
#include "ir/node.h"

// Small questions about a statement or expression, each answered by one walk.

namespace tenon {

/// Whether `root`, or the layout of a buffer that it accesses, mentions `var`.
bool Mentions(const Node* root, const Var* var);

/// The variables of `expr`, in the order of the text, each as often as it occurs.
std::vector<const Var*> VarsOf(const Expr* expr);

/// An integer as the sum of a value and a constant.
struct OffsetValue {
  const Expr* base = nullptr;  ///< null if the integer is a constant
  int64_t offset = 0;
};

/// `i + 3` and `i - 3` as `i` and 3 or -3, `7` as 7 without a base, other integers with 0.
OffsetValue SplitOffset(const Expr* expr);

/// Whether a buffer is read in `expr`.
bool ReadsMemory(const Expr* expr);

/// Whether `stmt` is a loop, or has one inside.
bool HasLoop(const Stmt* stmt);

/// Whether `a` and `b` have the same structure and the same variables. They then have the same
/// value, unless a store between them changes what they read.
bool HaveSameValue(const Expr* a, const Expr* b);

/// The ramp of an access to consecutive elements of a flat buffer of scalars; null for other
/// accesses.
const Ramp* RowOf(const Buffer* buffer, Span<const Expr*> indices, const Expr* predicate);
/// The same of a load; null for other expressions.
const Ramp* RowOf(const Expr* expr);

/// The number of nodes of `root`. A shared node counts once per occurrence.
size_t NodeCount(const Node* root);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_NODE_QUERIES_H_
