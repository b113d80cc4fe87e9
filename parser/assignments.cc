#include <fmt/format.h>

#include <utility>

#include "parser/stmt_parser.h"

namespace tenon {

void StmtParser::AnnotatedAssign(NameEntry* name, SourceRange range) {
  cursor_.Advance();  // the colon
  const PyValue annotation = exprs_.ParseExpr();
  if (cursor_.failed()) {
    scopes_.Bind(name, PyValue(), range);
    return;
  }
  const bool is_dtype = annotation.is(PyKind::kTirName) &&
                        annotation.tir_name->form == TirForm::kDType &&
                        !annotation.tir_name->dtype.is_handle();
  if (env_.rules->has_scalars && is_dtype) {
    return AnnotatedScalar(name, range, annotation.tir_name->dtype);
  }
  const Type* type = annotation.is(PyKind::kLet) ? values_.ToType(annotation.items[0])
                                                 : values_.ToType(annotation);
  if (type == nullptr && !cursor_.At(Tok::kAssign)) {  // one error is enough
    cursor_.GiveUp();
    return scopes_.Bind(name, PyValue(), range);
  }
  if (!cursor_.Expect(Tok::kAssign, "`=` and a value")) {
    scopes_.Bind(name, PyValue(), range);
    return;
  }
  const PyValue value = exprs_.ParseExprList();
  const Expr* expr = nullptr;
  if (!cursor_.failed() && type != nullptr) expr = values_.ToExpr(value, type->value_dtype());
  if (expr == nullptr || !values_.CheckLet(type->value_dtype(), expr, value.range)) {
    env_.NotUnderstood(range);
    scopes_.Bind(name, PyValue(), range);
    return;
  }
  PendingScope* scope = env_.NewScope(ScopeForm::kLetStmt, cursor_.Since(range));
  scope->type = type;
  scope->value = expr;
  function_.OpenScope(scope, name, range);
}

void StmtParser::AnnotatedScalar(NameEntry* name, SourceRange range, DataType dtype) {
  Buffer* buffer = function_.NewScalar(dtype, "local", range);
  if (!cursor_.At(Tok::kAssign)) return DeclareScalar(name, range, buffer, nullptr);
  cursor_.Advance();
  const PyValue value = exprs_.ParseExprList();
  const Expr* expr = cursor_.failed() ? nullptr : values_.ToExpr(value, dtype);
  if (expr == nullptr) {
    env_.NotUnderstood(range);
    return scopes_.Bind(name, PyValue(), range);
  }
  DeclareScalar(name, range, buffer, expr);
}

void StmtParser::Assign(const PyValue& target, NameEntry* name, SourceRange name_range) {
  cursor_.Advance();  // =
  const PyValue value = exprs_.ParseExprList();
  if (!cursor_.failed() && cursor_.At(Tok::kAssign)) {
    cursor_.SyntaxError(DiagnosticKind::kUnsupported, cursor_.Here(),
                        "more than one target of an assignment");
  }
  if (name != nullptr) {
    const Binding* known = scopes_.Find(name);
    if (cursor_.failed()) {
      scopes_.Bind(name, PyValue(), name_range);
    } else if (known != nullptr && known->value.is(PyKind::kScalar)) {
      scopes_.Use(name, name_range);
      function_.StoreScalar(known->value.buffer, value, cursor_.Since(name_range));
    } else {
      BindValue(name, name_range, value);
    }
    return;
  }
  if (cursor_.failed()) return;
  if (target.is(PyKind::kScalar)) {
    return function_.StoreScalar(target.buffer, value, cursor_.Since(name_range));
  }
  if (target.is(PyKind::kSubscript)) {
    return function_.Store(*target.subscript, value, nullptr, cursor_.Since(name_range));
  }
  if (target.is_error()) return;
  env_.Error(
      DiagnosticKind::kSyntax, target.range,
      fmt::format("assignment to {}, expected a name or an element of a buffer", Describe(target)));
}

void StmtParser::UnpackAssign(SourceRange range) {
  // `a, b = x, y`, or an expression.
  const LexerMark start = cursor_.MarkHere();
  absl::InlinedVector<Token, 6> names;
  while (cursor_.token().name != nullptr && !cursor_.failed()) {
    names.push_back(cursor_.token());
    cursor_.Advance();
    if (!cursor_.At(Tok::kComma)) break;
    cursor_.Advance();
  }
  if (!cursor_.At(Tok::kAssign)) {
    if (cursor_.failed()) return;
    cursor_.GoTo(start);
    const PyValue value = exprs_.ParseExprList();
    if (!cursor_.failed()) ParseExpressionStatement(value);
    return;
  }
  cursor_.Advance();
  const PyValue value = exprs_.ParseExprList();
  const bool fits = !cursor_.failed() && value.is_sequence() && value.count == names.size();
  if (!cursor_.failed() && !fits && !value.is_error()) {
    env_.Error(DiagnosticKind::kArguments, cursor_.Since(range),
               value.is_sequence()
                   ? fmt::format("{} values for {} names", value.count, names.size())
                   : fmt::format("{} for {} names", Describe(value), names.size()));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const SourceRange name_range = cursor_.RangeOf(names[i]);
    if (fits) {
      BindValue(names[i].name, name_range, value.items[i]);
    } else {
      scopes_.Bind(names[i].name, PyValue(), name_range);
    }
  }
}

void StmtParser::BindFreshVar(NameEntry* name, SourceRange range, PyValue value) {
  auto* var = const_cast<Var*>(cast<Var>(value.expr));
  // `n = T.int32()` repeats a variable that a quoted extent of the signature introduced.
  Var* known = shape_vars_.Find(name);
  if (known != nullptr && known->dtype == var->dtype) {
    if (var->dtype != DataType::Int(32)) env_.RaiseDialect(Dialect::kV026);
    function_.DeclareVar(known);
    return scopes_.Use(name, range);
  }
  var->name = env_.SymbolOf(name);
  value.kind = PyKind::kExpr;
  if (var->dtype.is_integer()) function_.DeclareVar(var);
  scopes_.Define(name, value, range);
  scopes_.BindPassing(name);
}

void StmtParser::BindValue(NameEntry* name, SourceRange range, PyValue value) {
  switch (value.kind) {
    case PyKind::kError:
    case PyKind::kDone:
      if (value.is(PyKind::kDone)) {
        env_.Error(DiagnosticKind::kType, value.range, "a statement has no value");
      }
      env_.NotUnderstood(range);
      scopes_.Bind(name, PyValue(), range);
      return;
    case PyKind::kScope:
      if (value.scope->form == ScopeForm::kBlock) break;
      value.scope->range = cursor_.Since(range);
      return function_.OpenScope(value.scope, name, range);
    case PyKind::kFreshVar:
      if (!cast<Var>(value.expr)->name.empty()) break;
      return BindFreshVar(name, range, value);
    case PyKind::kBuffer:
      if ((value.count & kFreshBuffer) != 0) {
        function_.NameBuffer(const_cast<Buffer*>(value.buffer), name,
                             (value.count & kOwnsData) != 0);
        const bool passing = (std::exchange(value.count, 0) & kPassing) != 0;
        scopes_.Define(name, value, range);
        if (!passing) return;
        if (value.buffer->alias_of != nullptr) env_.RaiseDialect(Dialect::kV025);
        scopes_.BindPassing(name);
        return;
      }
      return scopes_.Define(name, value, range);
    case PyKind::kIterVar: {
      auto* var = const_cast<Var*>(value.iter_var->var);
      if (var->name.empty()) var->name = env_.SymbolOf(name);
      return scopes_.Define(name, value, range);
    }
    case PyKind::kList:
    case PyKind::kTuple:
    case PyKind::kDict:
    case PyKind::kString:
    case PyKind::kAttr:
    case PyKind::kReducer:
    case PyKind::kRange:
      return scopes_.Define(name, value, range);
    default:
      break;
  }
  const Expr* expr = values_.ToExpr(value);
  if (expr == nullptr || !values_.CheckLet(expr->dtype, expr, value.range)) {
    scopes_.Bind(name, PyValue(), range);
    return;
  }
  if (env_.rules->has_scalars && !expr->dtype.is_handle() && !expr->dtype.is_void()) {
    return DeclareScalar(name, range,
                         function_.NewScalar(expr->dtype, "local", cursor_.Since(range)), expr);
  }
  PendingScope* scope = env_.NewScope(ScopeForm::kLetStmt, cursor_.Since(range));
  scope->type = env_.PrimTypeOf(expr->dtype);
  scope->value = expr;
  function_.OpenScope(scope, name, range);
}

void StmtParser::DeclareScalar(NameEntry* name, SourceRange range, Buffer* buffer,
                               const Expr* value) {
  PendingScope* scope = env_.NewScope(ScopeForm::kAllocatedBuffer, cursor_.Since(range));
  scope->buffer = buffer;
  scope->owns_data = true;
  function_.OpenScope(scope, name, range);
  if (value != nullptr)
    function_.StoreScalar(buffer, PyValue::Of(value->range, value), cursor_.Since(range));
}

void StmtParser::AugAssign(const PyValue& target) {
  const Tok op = cursor_.token().op;
  const SourceRange op_range = cursor_.Here();
  if (op == Tok::kPower || op == Tok::kAt) {
    cursor_.SyntaxError(DiagnosticKind::kUnsupported, op_range,
                        fmt::format("operator `{}` is not supported", cursor_.Text()));
    return;
  }
  cursor_.Advance();
  const PyValue value = exprs_.ParseExprList();
  if (cursor_.failed() || target.is_error() || value.is_error()) return;
  if (target.is(PyKind::kScalar)) {
    return function_.StoreScalar(target.buffer, operators_.Binary(op, target, value, op_range),
                                 cursor_.Since(target.range));
  }
  if (!target.is(PyKind::kSubscript)) {
    env_.Error(DiagnosticKind::kSyntax, target.range,
               fmt::format("assignment to {}, expected an element of a buffer", Describe(target)));
    return;
  }
  const PyValue result = operators_.Binary(op, target, value, op_range);
  function_.Store(*target.subscript, result, nullptr, cursor_.Since(target.range));
}

}  // namespace tenon
