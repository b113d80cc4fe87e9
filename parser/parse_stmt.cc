#include <fmt/format.h>

#include "parser/parser_internal.h"

namespace tenon {

namespace {

/// Python's statements with a block below them that have no meaning here.
bool IsRestOfTry(std::string_view text) { return text == "except" || text == "finally"; }
bool IsBlockKeyword(std::string_view text) {
  return text == "try" || text == "async" || IsRestOfTry(text);
}

}  // namespace

const Stmt* Parser::ParseSuite() {
  const SourceRange start = Here();
  const size_t scopes_base = open_scopes_.size();
  const size_t base = statements_.size();
  const bool header_failed = failed_;
  if (header_failed) {
    Recover();
    // What is indented below a header that failed is read for its errors.
    if (!At(Tok::kIndent)) return nullptr;
  } else if (!Expect(Tok::kColon, "`:`")) {
    Recover();
    if (!At(Tok::kIndent)) return nullptr;
  } else if (!At(Tok::kNewline)) {  // on the same line
    while (!failed_ && !At(Tok::kNewline) && !At(Tok::kEnd)) {
      ParseSimpleStatement();
      if (At(Tok::kSemicolon)) {
        Advance();
        continue;
      }
      break;
    }
    if (!failed_) EndOfStatement();
    if (failed_) Recover();
    CloseScopes(scopes_base);
    return TakeStatements(base, start);
  } else {
    Advance();
  }
  if (!At(Tok::kIndent)) {
    if (!failed_) {
      Error(DiagnosticKind::kIndentation, Here(),
            fmt::format("found {}, expected an indented block", Describe(lexer_, token_)));
    }
    return nullptr;
  }
  Advance();
  ParseStatements();
  if (At(Tok::kDedent)) Advance();
  CloseScopes(scopes_base);
  const Stmt* body = TakeStatements(base, start);
  return header_failed ? nullptr : body;
}

void Parser::ParseStatements() {
  while (!At(Tok::kDedent) && !At(Tok::kEnd)) {
    ParseStatement();
    if (failed_) Recover();
  }
}

void Parser::ParseStatement() {
  // A name that is a keyword comes from a hint such as `in`.
  const bool starts_block = At(Tok::kElse) || At(Tok::kWith) || At(Tok::kFor) || At(Tok::kIf) ||
                            At(Tok::kWhile) || IsBlockKeyword(lexer_.Text(token_));
  const bool keyword_is_name =
      token_.name != nullptr && !At(Tok::kName) &&
      (lexer_.PeekChar() == '=' || (lexer_.PeekChar() == ':' && !starts_block));
  if (keyword_is_name) return ParseSimpleStatement();
  switch (token_.kind) {
    case Tok::kFor:
      return ParseFor();
    case Tok::kWhile:
      return ParseWhile();
    case Tok::kIf:
      return ParseIf();
    case Tok::kWith:
      return ParseWith();
    case Tok::kIndent: {
      Error(DiagnosticKind::kIndentation, Here(), "unexpected indentation");
      Advance();
      ParseStatements();
      if (At(Tok::kDedent)) Advance();
      return;
    }
    case Tok::kAt:
      while (At(Tok::kAt)) {  // the complaint is the definition's
        ParseDecorator();
        if (failed_) return;
      }
      [[fallthrough]];
    case Tok::kDef:
    case Tok::kClass:
      SyntaxError(DiagnosticKind::kUnsupported, Here(),
                  fmt::format("`{}` inside of a function", lexer_.Text(token_)));
      return SkipBlock();
    case Tok::kElse:
    case Tok::kElif:
      SyntaxError(fmt::format("`{}` without `if` (loops cannot have it)", lexer_.Text(token_)));
      return SkipBlock();
    case Tok::kOtherKeyword:
      if (IsBlockKeyword(lexer_.Text(token_))) {
        SyntaxError(DiagnosticKind::kUnsupported, Here(),
                    fmt::format("`{}` is not supported", lexer_.Text(token_)));
        SkipBlock();
        while (At(Tok::kElse) || (At(Tok::kOtherKeyword) && IsRestOfTry(lexer_.Text(token_)))) {
          failed_ = true;
          SkipBlock();
        }
        return;
      }
      [[fallthrough]];
    default:
      ParseSimpleStatement();
      EndOfStatement();
  }
}

void Parser::SkipBlock() {
  Recover();
  for (size_t depth = 0; !At(Tok::kEnd);) {
    if (At(Tok::kIndent)) ++depth;
    if (depth == 0) return;
    if (At(Tok::kDedent) && --depth == 0) return Advance();
    Advance();
    if (failed_) Recover();
  }
}

void Parser::ParseSimpleStatement() {
  if (token_.name != nullptr) {
    const char next = lexer_.PeekChar();
    if (At(Tok::kName) || next == '=' || next == ':') return ParseNameStatement();
  }
  switch (token_.kind) {
    case Tok::kPass:
      return Advance();
    case Tok::kAssert:
      return ParseAssert();
    case Tok::kReturn:
      return ParseReturn();
    case Tok::kOtherKeyword:
    case Tok::kImport:
    case Tok::kFrom:
      SyntaxError(DiagnosticKind::kUnsupported, Here(),
                  fmt::format("`{}` is not supported", lexer_.Text(token_)));
      return;
    default:
      break;
  }
  const PyValue first = ParseExprList();
  if (failed_) return;
  if (At(Tok::kAssign)) return Assign(first, nullptr, first.range);
  if (At(Tok::kAugAssign)) return AugAssign(first);
  ParseExpressionStatement(first);
}

void Parser::ParseNameStatement() {
  const Token name = token_;
  switch (lexer_.PeekChar()) {
    case ':': {
      Advance();
      if (At(Tok::kColon)) return AnnotatedAssign(name.name, lexer_.Range(name));
      Rewind(name);
      break;
    }
    case '=': {
      Advance();
      if (At(Tok::kAssign)) return Assign(PyValue(), name.name, lexer_.Range(name));
      Rewind(name);
      break;
    }
    case ',':
      return UnpackAssign(name.name, lexer_.Range(name));
    default:
      break;
  }
  const PyValue first = ParseExprList();
  if (failed_) return;
  if (At(Tok::kAssign)) return Assign(first, nullptr, first.range);
  if (At(Tok::kAugAssign)) return AugAssign(first);
  ParseExpressionStatement(first);
}

void Parser::ParseExpressionStatement(const PyValue& value) {
  switch (value.kind) {
    case PyKind::kError:
      return NotUnderstood(value.range);
    case PyKind::kNone:
    case PyKind::kDone:
    case PyKind::kString:  // a comment
      return;
    case PyKind::kScope:
      if (value.scope->form == ScopeForm::kBlock || value.scope->form == ScopeForm::kInit) {
        Error(DiagnosticKind::kType, value.range, "a block needs `with`");
        return;
      }
      OpenScope(value.scope, nullptr, value.range);
      return;
    case PyKind::kTuple:
      for (const PyValue& item : value.elements()) ParseExpressionStatement(item);
      return;
    case PyKind::kBuffer:
      if ((value.count & kFreshBuffer) != 0) return;  // a declaration without a name
      Error(DiagnosticKind::kType, value.range, "expected a statement, found the name of a buffer");
      return;
    case PyKind::kFreshVar:
    case PyKind::kIterVar:
      return;
    default:
      break;
  }
  const Expr* expr = ToExpr(value);
  if (expr != nullptr) Push(builder_.New<Evaluate>(value.range, expr));
}

void Parser::ParseAssert() {
  const SourceRange start = Here();
  Advance();
  const PyValue condition_value = ParseExpr();
  if (failed_) return;
  if (!At(Tok::kComma)) {
    Error(DiagnosticKind::kArguments, Since(start), "assertion without a message");
    return;
  }
  Advance();
  const PyValue message_value = ParseExpr();
  if (failed_) return;
  const Expr* condition = ToExpr(condition_value);
  const Expr* message = AssertMessage(message_value);
  if (condition == nullptr || message == nullptr) return;
  if (!CheckCondition(condition, condition_value.range)) return;
  PendingScope* scope = NewScope(ScopeForm::kAssert, Since(start));
  scope->condition = condition;
  scope->value = message;
  OpenScope(scope, nullptr, scope->range);
}

void Parser::ParseReturn() {
  const SourceRange start = Here();
  Advance();
  if (At(Tok::kNewline) || At(Tok::kEnd) || At(Tok::kSemicolon)) {
    Error(DiagnosticKind::kUnsupported, Since(start), "`return` without a value");
    return;
  }
  const PyValue value = ParseExprList();
  if (failed_) return;
  const Expr* expr = ToExpr(value);
  if (expr == nullptr) return;
  const SourceRange range = Since(start);
  module_.dialect = std::max(module_.dialect, Dialect::kV016);
  Push(builder_.New<Evaluate>(
      range, NewCall(expr->dtype, Op::Get(OpKind::kRet), builder_.List<Expr>({expr}), range)));
}

PyValue Parser::CallEvaluate(const Args& args) {
  Bound<1> bound;
  if (!Bind(args, {"value"}, 1, bound)) return PyValue(PyKind::kError, args.range);
  const Expr* value = ToExpr(*bound[0]);
  if (value != nullptr) Push(builder_.New<Evaluate>(args.range, value));
  return PyValue(PyKind::kDone, args.range);
}

PyValue Parser::CallPrefetch(const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<2> bound;
  if (!Bind(args, {"buffer", "bounds"}, 2, bound)) return error;
  if (!bound[0]->is(PyKind::kBuffer) || !bound[1]->is_sequence()) {
    Error(DiagnosticKind::kArguments, args.range,
          "`T.prefetch` takes a buffer and a list of ranges");
    return error;
  }
  absl::InlinedVector<const Range*, 6> ranges;
  for (const PyValue& item : bound[1]->elements()) {
    ranges.push_back(ToRange(item));
    if (ranges.back() == nullptr) return error;
  }
  Push(builder_.New<Prefetch>(args.range, bound[0]->buffer,
                              arena_.Copy(Span<const Range*>(ranges.data(), ranges.size()))));
  return PyValue(PyKind::kDone, args.range);
}

PyValue Parser::CallStatement(const TirName& name, const Args& args) {
  const PyValue done(PyKind::kDone, args.range);
  switch (name.form) {
    case TirForm::kEvaluate:
      return CallEvaluate(args);
    case TirForm::kPrefetch:
      return CallPrefetch(args);
    case TirForm::kFuncAttr:
      FuncAttr(args);
      return done;
    case TirForm::kWhere:
    case TirForm::kReads:
    case TirForm::kWrites:
    case TirForm::kBlockAttr:
      BlockStatement(name, args);
      return done;
    case TirForm::kBufferStore: {
      Bound<4> bound;
      Span<const Expr*> indices;
      if (!Bind(args, {"buffer", "value", "indices", "predicate"}, 3, bound) ||
          !bound[0]->is(PyKind::kBuffer) || !ToExprs(*bound[2], "the indices", &indices)) {
        return PyValue(PyKind::kError, args.range);
      }
      auto* subscript = scratch_->New<PySubscript>();
      subscript->buffer = bound[0]->buffer;
      subscript->indices = indices;
      subscript->range = args.range;
      const Expr* predicate = bound[3] == nullptr ? nullptr : ToExpr(*bound[3]);
      Store(*subscript, *bound[1], predicate, args.range);
      return done;
    }
    default:
      Error(DiagnosticKind::kUnsupported, args.range,
            fmt::format("`T.{}` is not supported", args.name));
      return PyValue(PyKind::kError, args.range);
  }
}

}  // namespace tenon
