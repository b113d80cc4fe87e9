#include <fmt/format.h>

#include "parser/parser_internal.h"

namespace tenon {

void Parser::AnnotatedAssign(NameEntry* name, SourceRange range) {
  Advance();  // the colon
  const PyValue annotation = ParseExpr();
  if (failed_) {
    scopes_.Bind(name, PyValue(), range);
    return;
  }
  const bool is_dtype = annotation.is(PyKind::kTirName) &&
                        annotation.tir_name->form == TirForm::kDType &&
                        !annotation.tir_name->dtype.is_handle();
  if (rules_->has_scalars && is_dtype) {
    return AnnotatedScalar(name, range, annotation.tir_name->dtype);
  }
  const Type* type = annotation.is(PyKind::kLet) ? LetType(annotation) : ToType(annotation);
  if (type == nullptr && !At(Tok::kAssign)) {  // one complaint is enough
    failed_ = true;
    failed_kind_ = token_.kind;
    return scopes_.Bind(name, PyValue(), range);
  }
  if (!Expect(Tok::kAssign, "`=` and a value")) {
    scopes_.Bind(name, PyValue(), range);
    return;
  }
  const PyValue value = ParseExprList();
  const Expr* expr = nullptr;
  if (!failed_ && type != nullptr) expr = ToExpr(value, type->value_dtype());
  if (expr == nullptr || !CheckLet(type->value_dtype(), expr, value.range)) {
    NotUnderstood(range);
    scopes_.Bind(name, PyValue(), range);
    return;
  }
  PendingScope* scope = NewScope(ScopeForm::kLetStmt, Since(range));
  scope->type = type;
  scope->value = expr;
  OpenScope(scope, name, range);
}

void Parser::Assign(const PyValue& target, NameEntry* name, SourceRange name_range) {
  Advance();  // =
  const PyValue value = ParseExprList();
  if (!failed_ && At(Tok::kAssign)) {
    SyntaxError(DiagnosticKind::kUnsupported, Here(), "more than one target of an assignment");
  }
  if (name != nullptr) {
    const Binding* known = scopes_.Find(name);
    if (failed_) {
      scopes_.Bind(name, PyValue(), name_range);
    } else if (known != nullptr && known->value.is(PyKind::kScalar)) {
      StoreScalar(known->value.buffer, value, Since(name_range));
    } else {
      BindValue(name, name_range, value);
    }
    return;
  }
  if (failed_) return;
  if (target.is(PyKind::kScalar)) {
    return StoreScalar(target.buffer, value, Since(name_range));
  }
  if (target.is(PyKind::kSubscript)) {
    return Store(*target.subscript, value, nullptr, Since(name_range));
  }
  if (target.is_error()) return;
  Error(
      DiagnosticKind::kSyntax, target.range,
      fmt::format("assignment to {}, expected a name or an element of a buffer", Describe(target)));
}

void Parser::UnpackAssign(NameEntry* first, SourceRange range) {
  // a, b = x, y: or an expression after all.
  const LexerMark start = MarkHere();
  absl::InlinedVector<Token, 6> names;
  while (token_.name != nullptr && !failed_) {
    names.push_back(token_);
    Advance();
    if (!At(Tok::kComma)) break;
    Advance();
  }
  if (!At(Tok::kAssign)) {
    if (failed_) return;
    GoTo(start);
    const PyValue value = ParseExprList();
    if (!failed_) ParseExpressionStatement(value);
    return;
  }
  (void)first;
  Advance();
  const PyValue value = ParseExprList();
  const bool fits = !failed_ && value.is_sequence() && value.count == names.size();
  if (!failed_ && !fits && !value.is_error()) {
    Error(DiagnosticKind::kArguments, Since(range),
          value.is_sequence() ? fmt::format("{} values for {} names", value.count, names.size())
                              : fmt::format("{} for {} names", Describe(value), names.size()));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const SourceRange name_range = lexer_.Range(names[i]);
    if (fits) {
      BindValue(names[i].name, name_range, value.items[i]);
    } else {
      scopes_.Bind(names[i].name, PyValue(), name_range);
    }
  }
}

void Parser::BindFreshVar(NameEntry* name, SourceRange range, PyValue value) {
  auto* var = const_cast<Var*>(cast<Var>(value.expr));
  // `n = T.int32()` says again what a quoted extent of the signature introduced.
  const auto known = shape_vars_.find(name);
  if (known != shape_vars_.end() && known->second->dtype == var->dtype) return;
  var->name = SymbolOf(name);
  value.kind = PyKind::kExpr;
  passing_names_[name] = value;
  if (var->dtype.is_integer()) declared_vars_.push_back(var);
  Define(name, value, range);
}

void Parser::BindValue(NameEntry* name, SourceRange range, PyValue value) {
  switch (value.kind) {
    case PyKind::kError:
    case PyKind::kDone:
      if (value.is(PyKind::kDone)) {
        Error(DiagnosticKind::kType, value.range, "a statement has no value");
      }
      NotUnderstood(range);
      scopes_.Bind(name, PyValue(), range);
      return;
    case PyKind::kScope:
      if (value.scope->form == ScopeForm::kBlock) break;
      value.scope->range = Since(range);
      return OpenScope(value.scope, name, range);
    case PyKind::kFreshVar:
      if (!cast<Var>(value.expr)->name.empty()) break;
      return BindFreshVar(name, range, value);
    case PyKind::kBuffer:
      if ((value.count & kFreshBuffer) != 0) {
        NameBuffer(const_cast<Buffer*>(value.buffer), name, (value.count & kOwnsData) != 0);
        if ((value.count & kPassing) != 0) {
          value.count = 0;
          passing_names_[name] = value;
        }
        value.count = 0;
      }
      return Define(name, value, range);
    case PyKind::kIterVar: {
      auto* var = const_cast<Var*>(value.iter_var->var);
      if (var->name.empty()) var->name = SymbolOf(name);
      return Define(name, value, range);
    }
    case PyKind::kList:
    case PyKind::kTuple:
    case PyKind::kDict:
    case PyKind::kString:
    case PyKind::kAttr:
    case PyKind::kReducer:
    case PyKind::kRange:
      return Define(name, value, range);
    default:
      break;
  }
  const Expr* expr = ToExpr(value);
  if (expr == nullptr || !CheckLet(expr->dtype, expr, value.range)) {
    scopes_.Bind(name, PyValue(), range);
    return;
  }
  if (rules_->has_scalars && !expr->dtype.is_handle() && !expr->dtype.is_void()) {
    return DeclareScalar(name, range, NewScalar(expr->dtype, "local", Since(range)), expr);
  }
  PendingScope* scope = NewScope(ScopeForm::kLetStmt, Since(range));
  scope->type = PrimTypeOf(expr->dtype);
  scope->value = expr;
  OpenScope(scope, name, range);
}

void Parser::AugAssign(const PyValue& target) {
  const Tok op = token_.op;
  const SourceRange op_range = Here();
  if (op == Tok::kPower || op == Tok::kAt) {
    SyntaxError(DiagnosticKind::kUnsupported, op_range,
                fmt::format("operator `{}` is not supported", lexer_.Text(token_)));
    return;
  }
  Advance();
  const PyValue value = ParseExprList();
  if (failed_ || target.is_error() || value.is_error()) return;
  if (target.is(PyKind::kScalar)) {
    return StoreScalar(target.buffer, Binary(op, target, value, op_range), Since(target.range));
  }
  if (!target.is(PyKind::kSubscript)) {
    Error(DiagnosticKind::kSyntax, target.range,
          fmt::format("assignment to {}, expected an element of a buffer", Describe(target)));
    return;
  }
  const PyValue result = Binary(op, target, value, op_range);
  Store(*target.subscript, result, nullptr, Since(target.range));
}

void Parser::Store(const PySubscript& target, const PyValue& value, const Expr* predicate,
                   SourceRange range) {
  if (value.is_error()) return NotUnderstood(range);
  bool ok = true;
  const Span<const Expr*> indices = IndicesOf(target, &ok);
  if (!ok) return;
  const Buffer* buffer = target.buffer;
  const int64_t index_lanes = indices.empty() ? 1 : indices.back()->dtype.lanes();
  const int64_t lanes = index_lanes * buffer->dtype.lanes();
  if (lanes > kMostLanes || lanes < -kMostLanes) {
    Error(DiagnosticKind::kLimit, range,
          fmt::format("access of {} lanes, at most {} are possible", lanes, kMostLanes));
    return;
  }
  const DataType dtype = buffer->dtype.with_lanes(static_cast<int>(lanes));
  const Expr* expr = value.is_number() && dtype.is_scalar() && !dtype.is_handle() &&
                             !(value.is(PyKind::kFloat) && dtype.is_integer())
                         ? NumberOf(value, dtype)
                         : ToExpr(value);
  if (expr == nullptr) return;
  if (expr->dtype != dtype) {
    if (expr->dtype.lanes() != dtype.lanes() || expr->dtype.is_handle() || dtype.is_handle()) {
      Error(DiagnosticKind::kType, value.range,
            fmt::format("expected a value of dtype `{}`, found {}", dtype.ToString(),
                        isa<StringImm>(expr) ? std::string("a string")
                                             : fmt::format("`{}`", expr->dtype.ToString())));
      return;
    }
    expr = SmartCast(builder_, dtype, expr, expr->range);
  }
  Push(builder_.New<BufferStore>(range, buffer, expr, indices, predicate));
}

}  // namespace tenon
