#ifndef TENON_IR_SCOPE_ROWS_H_
#define TENON_IR_SCOPE_ROWS_H_

#include "ir/stmt.h"

namespace tenon {

/// Calls `item(stmt)` for the statements of `seq` in order. `inside(stmt)` returns the body of a
/// scope that a rewrite removes, or null. If the last statement is such a scope, the statements of
/// its body follow as if they were part of `seq`. A chain of scopes, each around the rest of its
/// sequence, thus becomes one sequence in linear time. Joining them one by one takes quadratic time
/// and memory.
template <class Inside, class Item>
void ForEachInRow(const SeqStmt* seq, Inside&& inside, Item&& item) {
  const Stmt* last = seq;
  while (const auto* next = dyn_cast<SeqStmt>(last)) {
    for (size_t i = 0; i + 1 < next->seq.size(); ++i) item(next->seq[i]);
    last = next->seq.back();
    while (const Stmt* body = inside(last)) last = body;
  }
  item(last);
}

}  // namespace tenon

#endif  // TENON_IR_SCOPE_ROWS_H_
