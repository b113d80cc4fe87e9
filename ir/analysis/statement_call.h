#ifndef TENON_IR_ANALYSIS_STATEMENT_CALL_H_
#define TENON_IR_ANALYSIS_STATEMENT_CALL_H_

#include "ir/analysis/effects.h"

namespace tenon {

/// A statement that consists of a call of a function by name.
struct StatementCall {
  /// The call, as AsCallSite returns it; `site.call` is null for all other statements.
  CallSite site;
  /// The statement evaluates T.tvm_check_return(expected, status, call).
  bool is_checked = false;
};

/// The call that makes up `stmt`, with or without T.tvm_check_return around it.
StatementCall CallOfStatement(const IRModule& module, const Stmt* stmt);

}  // namespace tenon

#endif  // TENON_IR_ANALYSIS_STATEMENT_CALL_H_
