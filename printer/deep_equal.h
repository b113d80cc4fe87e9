#ifndef TENON_PRINTER_DEEP_EQUAL_H_
#define TENON_PRINTER_DEEP_EQUAL_H_

#include "ir/expr.h"

namespace tenon {

/// True if the two are the same expression, over the same variables and buffers.
bool SameExpr(const Expr* a, const Expr* b);
bool SameExprs(Span<const Expr*> a, Span<const Expr*> b);

}  // namespace tenon

#endif  // TENON_PRINTER_DEEP_EQUAL_H_
