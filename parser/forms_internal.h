#ifndef TENON_PARSER_FORMS_INTERNAL_H_
#define TENON_PARSER_FORMS_INTERNAL_H_

#include "parser/forms.h"

// The functions that form_table.cc lists, and their shared helpers.

namespace tenon {

/// The value of `T.name(args)`; kError after an error.
using FormFunction = PyValue(FormContext& p, const TirName& name, Args& args);

// forms_expr.cc
FormFunction CallDType;
FormFunction CallHandle;
FormFunction CallBinary;
FormFunction CallCast;
FormFunction CallSelect;
FormFunction CallVector;
FormFunction CallShuffle;
FormFunction CallLet;
FormFunction CallIterVar;
FormFunction CallRange;
FormFunction CallReduce;
FormFunction CallImmediate;
// forms_math.cc
FormFunction CallMath;
FormFunction CallLimit;
// forms_call.cc
FormFunction CallBuiltin;
FormFunction CallIntrin;
FormFunction CallGeneric;
FormFunction CallPacked;
// forms_buffer.cc
FormFunction CallBuffer;
FormFunction AllocBuffer;
FormFunction CallAllocation;
FormFunction AllocScalar;
FormFunction MatchBuffer;
// forms_scope.cc
FormFunction CallAllocate;
FormFunction CallLetStmt;
FormFunction CallAttr;
FormFunction CallAssert;
FormFunction CallRealize;
FormFunction CallLaunchThread;
FormFunction CallEnvThread;
FormFunction CallEvaluate;
FormFunction CallPrefetch;
FormFunction CallBufferStore;
// forms_block.cc
FormFunction CallBlock;
FormFunction CallInit;
FormFunction BlockStatement;
// forms_loop.cc
FormFunction CallLoop;
FormFunction CallGrid;
// forms_attrs.cc
FormFunction CallFuncAttr;
FormFunction CallTarget;

/// `A.view(extents)`, `A.view("int8")`.
PyValue CallView(FormContext& p, const Buffer* buffer, const Args& args);
/// Checks attributes whose values have a meaning for Tenon itself.
bool CheckFuncAttr(FormContext& p, std::string_view key, const Attr* value);
/// The forms of constants' data: `I.file`, `I.slice`, `I.splat`, `I.hash`.
PyValue CallConstantForm(FormContext& p, const Args& args);

}  // namespace tenon

#endif  // TENON_PARSER_FORMS_INTERNAL_H_
