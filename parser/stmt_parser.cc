#include "parser/stmt_parser.h"

#include <fmt/format.h>

#include <cctype>

#include "ir/builtins.h"

namespace tenon {

namespace {

/// Statements of Python with a block that have no meaning here.
bool IsRestOfTry(std::string_view text) { return text == "except" || text == "finally"; }
bool IsBlockKeyword(std::string_view text) {
  return text == "try" || text == "async" || IsRestOfTry(text);
}

}  // namespace

const Stmt* StmtParser::ParseSuite() {
  const SourceRange start = cursor_.Here();
  const size_t scopes_base = function_.scope_count();
  const size_t base = function_.statement_count();
  const bool header_failed = cursor_.failed();
  if (header_failed) {
    cursor_.Recover();
    // Statements below a header with an error are read for their own errors.
    if (!cursor_.At(Tok::kIndent)) return nullptr;
  } else if (!cursor_.Expect(Tok::kColon, "`:`")) {
    cursor_.Recover();
    if (!cursor_.At(Tok::kIndent)) return nullptr;
  } else if (!cursor_.At(Tok::kNewline)) {  // on the same line
    while (!cursor_.failed() && !cursor_.At(Tok::kNewline) && !cursor_.At(Tok::kEnd)) {
      ParseSimpleStatement();
      if (cursor_.At(Tok::kSemicolon)) {
        cursor_.Advance();
        continue;
      }
      break;
    }
    if (!cursor_.failed()) cursor_.EndOfStatement();
    if (cursor_.failed()) cursor_.Recover();
    function_.CloseScopes(scopes_base);
    return function_.TakeStatements(base, start);
  } else {
    cursor_.Advance();
  }
  if (!cursor_.At(Tok::kIndent)) {
    if (!cursor_.failed()) {
      env_.Error(DiagnosticKind::kIndentation, cursor_.Here(),
                 fmt::format("found {}, expected an indented block", cursor_.DescribeToken()));
    }
    return nullptr;
  }
  cursor_.Advance();
  ParseStatements();
  if (cursor_.At(Tok::kDedent)) cursor_.Advance();
  function_.CloseScopes(scopes_base);
  const Stmt* body = function_.TakeStatements(base, start);
  return header_failed ? nullptr : body;
}

const Stmt* StmtParser::ParseOwnScope() {
  scopes_.Push();
  const Stmt* body = ParseSuite();
  scopes_.Pop();
  return body;
}

void StmtParser::ParseStatements() {
  while (!cursor_.At(Tok::kDedent) && !cursor_.At(Tok::kEnd)) {
    ParseStatement();
    if (cursor_.failed()) cursor_.Recover();
  }
}

void StmtParser::ParseStatement() {
  // A name that is a keyword comes from a name hint such as `in`.
  const bool starts_block = cursor_.At(Tok::kElse) || cursor_.At(Tok::kWith) ||
                            cursor_.At(Tok::kFor) || cursor_.At(Tok::kIf) ||
                            cursor_.At(Tok::kWhile) || IsBlockKeyword(cursor_.Text());
  const bool keyword_is_name =
      cursor_.token().name != nullptr && !cursor_.At(Tok::kName) &&
      (cursor_.PeekChar() == '=' || (cursor_.PeekChar() == ':' && !starts_block));
  if (keyword_is_name) return ParseSimpleStatement();
  switch (cursor_.token().kind) {
    case Tok::kFor:
      return ParseFor();
    case Tok::kWhile:
      return ParseWhile();
    case Tok::kIf:
      return ParseIf();
    case Tok::kWith:
      return ParseWith();
    case Tok::kIndent: {
      env_.Error(DiagnosticKind::kIndentation, cursor_.Here(), "unexpected indentation");
      cursor_.Advance();
      ParseStatements();
      if (cursor_.At(Tok::kDedent)) cursor_.Advance();
      return;
    }
    case Tok::kAt:
      while (cursor_.At(Tok::kAt)) {  // the definition reports the error
        ParseDecorator(env_, cursor_, exprs_);
        if (cursor_.failed()) return;
      }
      [[fallthrough]];
    case Tok::kDef:
    case Tok::kClass:
      cursor_.SyntaxError(DiagnosticKind::kUnsupported, cursor_.Here(),
                          fmt::format("`{}` inside of a function", cursor_.Text()));
      return cursor_.SkipBlock();
    case Tok::kElse:
    case Tok::kElif:
      cursor_.SyntaxError(fmt::format("`{}` without `if` (loops cannot have it)", cursor_.Text()));
      return cursor_.SkipBlock();
    case Tok::kOtherKeyword:
      if (IsBlockKeyword(cursor_.Text())) {
        cursor_.SyntaxError(DiagnosticKind::kUnsupported, cursor_.Here(),
                            fmt::format("`{}` is not supported", cursor_.Text()));
        cursor_.SkipBlock();
        while (cursor_.At(Tok::kElse) ||
               (cursor_.At(Tok::kOtherKeyword) && IsRestOfTry(cursor_.Text()))) {
          cursor_.SkipBlock();
        }
        return;
      }
      [[fallthrough]];
    default:
      ParseSimpleStatement();
      cursor_.EndOfStatement();
  }
}

void StmtParser::ParseSimpleStatement() {
  if (cursor_.token().name != nullptr) {
    const char next = cursor_.PeekChar();
    if (cursor_.At(Tok::kName) || next == '=' || next == ':') return ParseNameStatement();
  }
  switch (cursor_.token().kind) {
    case Tok::kPass:
      return cursor_.Advance();
    case Tok::kAssert:
      return ParseAssert();
    case Tok::kReturn:
      return ParseReturn();
    case Tok::kOtherKeyword:
    case Tok::kImport:
    case Tok::kFrom:
      cursor_.SyntaxError(DiagnosticKind::kUnsupported, cursor_.Here(),
                          fmt::format("`{}` is not supported", cursor_.Text()));
      return;
    default:
      break;
  }
  ParseValueStatement();
}

void StmtParser::ParseNameStatement() {
  const Token name = cursor_.token();
  switch (cursor_.PeekChar()) {
    case ':': {
      cursor_.Advance();
      if (cursor_.At(Tok::kColon)) return AnnotatedAssign(name.name, cursor_.RangeOf(name));
      cursor_.Rewind(name);
      break;
    }
    case '=': {
      cursor_.Advance();
      if (cursor_.At(Tok::kAssign)) return Assign(PyValue(), name.name, cursor_.RangeOf(name));
      cursor_.Rewind(name);
      break;
    }
    case ',':
      return UnpackAssign(cursor_.RangeOf(name));
    default:
      break;
  }
  ParseValueStatement();
}

void StmtParser::ParseValueStatement() {
  const PyValue first = exprs_.ParseExprList();
  if (cursor_.failed()) return;
  if (cursor_.At(Tok::kAssign)) return Assign(first, nullptr, first.range);
  if (cursor_.At(Tok::kAugAssign)) return AugAssign(first);
  ParseExpressionStatement(first);
}

void StmtParser::ParseExpressionStatement(const PyValue& value) {
  switch (value.kind) {
    case PyKind::kError:
      return env_.NotUnderstood(value.range);
    case PyKind::kNone:
    case PyKind::kDone:
    case PyKind::kString:  // a comment
      return;
    case PyKind::kScope:
      if (value.scope->form == ScopeForm::kBlock || value.scope->form == ScopeForm::kInit) {
        env_.Error(DiagnosticKind::kType, value.range, "a block needs `with`");
        return;
      }
      function_.OpenScope(value.scope, nullptr, value.range);
      return;
    case PyKind::kTuple:
      for (const PyValue& item : value.elements()) ParseExpressionStatement(item);
      return;
    case PyKind::kBuffer:
      if ((value.count & kFreshBuffer) != 0) return;  // a declaration without a name
      env_.Error(DiagnosticKind::kType, value.range,
                 "expected a statement, found the name of a buffer");
      return;
    case PyKind::kFreshVar:
    case PyKind::kIterVar:
      return;
    default:
      break;
  }
  const Expr* expr = values_.ToExpr(value);
  if (expr != nullptr) function_.Push(env_.builder.New<Evaluate>(value.range, expr));
}

void StmtParser::ParseAssert() {
  const SourceRange start = cursor_.Here();
  cursor_.Advance();
  const PyValue condition_value = exprs_.ParseExpr();
  if (cursor_.failed()) return;
  if (!cursor_.At(Tok::kComma)) {
    env_.Error(DiagnosticKind::kArguments, cursor_.Since(start), "assertion without a message");
    return;
  }
  cursor_.Advance();
  const PyValue message_value = exprs_.ParseExpr();
  if (cursor_.failed()) return;
  const Expr* condition = values_.ToExpr(condition_value);
  const Expr* message = AssertMessage(message_value);
  if (condition == nullptr || message == nullptr) return;
  if (!values_.CheckCondition(condition, condition_value.range)) return;
  PendingScope* scope = env_.NewScope(ScopeForm::kAssert, cursor_.Since(start));
  scope->condition = condition;
  scope->value = message;
  function_.OpenScope(scope, nullptr, scope->range);
}

const Expr* StmtParser::AssertMessage(const PyValue& value) {
  if (!env_.rules->has_error_kinds || !value.is(PyKind::kTuple)) {
    const std::optional<std::string_view> text =
        values_.ToText(value, "the message of the assertion");
    return text ? env_.builder.New<StringImm>(value.range, *text) : nullptr;
  }
  if (value.count != 2 || !value.items[0].is(PyKind::kString) || !value.items[1].is_sequence()) {
    env_.Error(
        DiagnosticKind::kArguments, value.range,
        "the message of an assertion, expected a string or `(\"RuntimeError\", [\"text\"])`");
    return nullptr;
  }
  absl::InlinedVector<const Expr*, 4> parts{values_.ToExpr(value.items[0])};
  for (const PyValue& part : value.items[1].elements()) {
    parts.push_back(MessagePart(part));
    if (parts.back() == nullptr) return nullptr;
  }
  const bool is_plain = parts.size() == 2 && value.items[0].text() == "RuntimeError";
  if (is_plain) return parts[1];
  return env_.NewCall(DataType::Handle(), Op::Get(OpKind::kTvmTuple), env_.Copy(parts),
                      value.range);
}

const Expr* StmtParser::MessagePart(const PyValue& part) {
  if (part.is(PyKind::kAttr)) {
    const auto* lost = dyn_cast<ObjectAttr>(part.attr);
    if (lost == nullptr || !lost->opaque()) return values_.ToExpr(part);
    // The text was printed without its metadata. The message shows the reference instead.
    const size_t begin = part.range.begin - env_.base;
    return env_.builder.New<StringImm>(part.range,
                                       env_.text.substr(begin, part.range.end - part.range.begin));
  }
  const std::optional<std::string_view> text = values_.ToText(part, "a part of the message");
  return text ? env_.builder.New<StringImm>(part.range, *text) : nullptr;
}

void StmtParser::ParseReturn() {
  const SourceRange start = cursor_.Here();
  cursor_.Advance();
  if (cursor_.At(Tok::kNewline) || cursor_.At(Tok::kEnd) || cursor_.At(Tok::kSemicolon)) {
    env_.Error(DiagnosticKind::kUnsupported, cursor_.Since(start), "`return` without a value");
    return;
  }
  const PyValue value = exprs_.ParseExprList();
  if (cursor_.failed()) return;
  const Expr* expr = values_.ToExpr(value);
  if (expr == nullptr) return;
  const SourceRange range = cursor_.Since(start);
  env_.RaiseDialect(Dialect::kV016);
  function_.Push(env_.builder.New<Evaluate>(
      range,
      env_.NewCall(expr->dtype, Op::Get(OpKind::kRet), env_.builder.List<Expr>({expr}), range)));
}

void StmtParser::ParseFor() {
  const SourceRange start = cursor_.Here();
  cursor_.Advance();
  absl::InlinedVector<Token, 6> targets;
  const bool parenthesised = cursor_.Accept(Tok::kLParen);
  do {
    if (cursor_.token().name == nullptr || cursor_.At(Tok::kIn)) break;
    targets.push_back(cursor_.token());
    cursor_.Advance();
  } while (cursor_.Accept(Tok::kComma));
  if (parenthesised) cursor_.Expect(Tok::kRParen, "`)`");
  if (targets.empty()) cursor_.UnexpectedToken("the name of a loop variable");
  PyValue value;
  if (cursor_.Expect(Tok::kIn, "`in`")) value = exprs_.ParseExpr();
  if (!cursor_.failed() && !value.is(PyKind::kLoop)) {
    if (!value.is_error()) {
      env_.Error(
          DiagnosticKind::kType, value.range,
          fmt::format("loop over {}, expected `range`, `T.grid` or the like", Describe(value)));
    }
    value = PyValue();
  }
  absl::InlinedVector<const Var*, 6> vars;
  scopes_.Push();
  const bool fits = value.is(PyKind::kLoop) && value.loop->dims.size() == targets.size();
  if (value.is(PyKind::kLoop) && !fits) {
    env_.Error(
        DiagnosticKind::kArguments, value.range,
        fmt::format("{} loop variables for {} extents", targets.size(), value.loop->dims.size()));
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    const SourceRange range = cursor_.RangeOf(targets[i]);
    if (!fits) {
      scopes_.Bind(targets[i].name, PyValue(), range);
      continue;
    }
    const Var* var = env_.builder.New<Var>(range, env_.SymbolOf(targets[i].name),
                                           env_.PrimTypeOf(value.loop->dims[i].dtype));
    vars.push_back(var);
    if (value.loop->step == 1) blocks_.AddLoopVar(var, value.loop->dims[i]);
    scopes_.Define(targets[i].name, PyValue::Of(range, var), range);
  }
  const SourceRange range = cursor_.Since(start);
  const Stmt* body = ParseSuite();
  scopes_.Pop();
  if (fits && value.loop->step == 1) blocks_.RemoveLoopVars(vars.size());
  if (body == nullptr || !fits) return env_.NotUnderstood(range);
  function_.Push(LoopNest(*value.loop, Span<const Var*>(vars.data(), vars.size()), body, range));
}

/// A loop over the number of steps, in which a let defines the variable.
const Stmt* StmtParser::LoopOfSteps(const PendingLoop& loop, const Var* var, const Stmt* body,
                                    SourceRange range) {
  const LoopDim& dim = loop.dims[0];
  NodeBuilder& builder = env_.builder;
  const Var* count =
      builder.New<Var>(range, env_.context.Intern(fmt::format("{}_step", var->name.view())),
                       env_.PrimTypeOf(dim.dtype));
  const Expr* step = builder.Int(dim.dtype, loop.step, range);
  const Expr* passed = MakeBinary(builder, NodeKind::kMul, count, step, range);
  const int64_t* extent = AsIntImm(dim.extent);
  const Expr* rounded = MakeBinary(builder, NodeKind::kAdd, dim.extent,
                                   builder.Int(dim.dtype, loop.step - 1, range), range);
  const Expr* steps =
      extent != nullptr
          ? builder.Int(dim.dtype, *extent <= 0 ? 0 : (*extent - 1) / loop.step + 1, range)
          : MakeBinary(builder, NodeKind::kFloorDiv, rounded, step, range);
  const Expr* value =
      IsConstInt(dim.min, 0) ? passed : MakeBinary(builder, NodeKind::kAdd, dim.min, passed, range);
  body = builder.New<LetStmt>(range, var, value, body);
  return builder.New<For>(range, count, builder.Int(dim.dtype, 0, range), steps, loop.kind, body,
                          static_cast<const IterVar*>(nullptr), loop.annotations);
}

const Stmt* StmtParser::LoopNest(const PendingLoop& loop, Span<const Var*> vars, const Stmt* body,
                                 SourceRange range) {
  if (loop.step != 1) return LoopOfSteps(loop, vars[0], body, range);
  for (size_t i = vars.size(); i-- > 0;) {
    const IterVar* thread = nullptr;
    if (loop.kind == ForKind::kThreadBinding) {
      const Var* iter = env_.builder.New<Var>(range, env_.context.Intern("iter"),
                                              env_.PrimTypeOf(loop.dims[i].dtype));
      thread = env_.builder.New<IterVar>(range, static_cast<const Range*>(nullptr), iter,
                                         IterVarKind::kThreadIndex, loop.thread);
    }
    body = env_.builder.New<For>(range, vars[i], loop.dims[i].min, loop.dims[i].extent, loop.kind,
                                 body, thread, loop.annotations);
  }
  return body;
}

void StmtParser::ParseWhile() {
  const SourceRange start = cursor_.Here();
  cursor_.Advance();
  const PyValue value = exprs_.ParseExpr();
  const Expr* condition = nullptr;
  if (!cursor_.failed()) condition = values_.ConditionOf(values_.ToExpr(value));
  if (condition != nullptr && !values_.CheckCondition(condition, value.range)) condition = nullptr;
  if (condition != nullptr && isa<IntImm>(condition)) {
    env_.Error(DiagnosticKind::kType, value.range, "the condition of `while` is a constant");
    condition = nullptr;
  }
  const SourceRange range = cursor_.Since(start);
  const Stmt* body = ParseOwnScope();
  if (condition == nullptr || body == nullptr) return env_.NotUnderstood(range);
  function_.Push(env_.builder.New<While>(range, condition, body));
}

bool StmtParser::CheckElif(size_t branches) {
  if (cursor_.indent_depth() + branches + 1 <= Lexer::kMostIndents) return true;
  env_.Error(DiagnosticKind::kLimit, cursor_.Here(),
             fmt::format("more than {} nested levels (each `elif` is one)", Lexer::kMostIndents));
  while (cursor_.At(Tok::kElif)) cursor_.SkipBlock();
  return false;
}

void StmtParser::ParseIf() {
  struct Branch {
    SourceRange range;
    const Expr* condition;  // null: an error, or Python's own truth
    std::optional<bool> known;
    const Stmt* body;
  };
  std::vector<Branch> branches;
  const Stmt* otherwise = nullptr;
  bool ok = true;
  for (bool more = true; more;) {
    Branch branch{cursor_.Here(), nullptr, std::nullopt, nullptr};
    cursor_.Advance();
    const PyValue value = exprs_.ParseExpr();
    if (!cursor_.failed() && value.is(PyKind::kBool)) {
      branch.known = value.integer != 0;
    } else if (!cursor_.failed() && value.is_number()) {
      env_.Error(DiagnosticKind::kType, value.range,
                 fmt::format("the condition is {}, expected bool", Describe(value)));
    } else if (!cursor_.failed()) {
      branch.condition = values_.ConditionOf(values_.ToExpr(value));
      if (branch.condition != nullptr && !values_.CheckCondition(branch.condition, value.range)) {
        branch.condition = nullptr;
      }
    }
    ok = ok && (branch.condition != nullptr || branch.known);
    branch.range = cursor_.Since(branch.range);
    branch.body = ParseOwnScope();
    ok = ok && branch.body != nullptr;
    branches.push_back(branch);
    more = cursor_.At(Tok::kElif);
    if (more && !CheckElif(branches.size())) more = ok = false;
  }
  if (cursor_.At(Tok::kElse)) {
    cursor_.Advance();
    otherwise = ParseOwnScope();
    ok = ok && otherwise != nullptr;
  }
  if (!ok) return env_.NotUnderstood(branches[0].range);
  const Stmt* result = otherwise;
  for (size_t i = branches.size(); i-- > 0;) {
    const Branch& branch = branches[i];
    if (branch.known) {
      result = *branch.known ? branch.body : result;
    } else {
      result = env_.builder.New<IfThenElse>(branch.range, branch.condition, branch.body, result);
    }
  }
  if (result != nullptr) function_.Push(result);
}

void StmtParser::BindNameAfterAs() {
  // So uses of the name cause no further errors.
  const std::string_view text = env_.text;
  const size_t begin = std::min<size_t>(cursor_.token().begin, text.size());
  const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  const size_t as = line.rfind(" as ");
  if (as == std::string_view::npos) return;
  size_t end = as + 4;
  const size_t name = end;
  while (end < line.size() &&
         (line[end] == '_' || std::isalnum(static_cast<unsigned char>(line[end]))))
    ++end;
  if (end > name) scopes_.Bind(env_.names.Find(line.substr(name, end - name)), PyValue(), {});
}

void StmtParser::ParseWith() {
  const SourceRange start = cursor_.Here();
  cursor_.Advance();
  const size_t scopes_base = function_.scope_count();
  scopes_.Push();
  size_t blocks = 0;
  do {
    const PyValue value = exprs_.ParseExpr();
    NameEntry* name = nullptr;
    SourceRange name_range;
    if (cursor_.At(Tok::kAs)) {
      cursor_.Advance();
      name = cursor_.token().name;
      name_range = cursor_.Here();
      if (name == nullptr) {
        cursor_.UnexpectedToken("a name after `as`");
        break;
      }
      cursor_.Advance();
    }
    if (cursor_.failed()) break;
    if (!value.is(PyKind::kScope)) {
      if (!value.is_error()) {
        env_.Error(
            DiagnosticKind::kType, value.range,
            fmt::format("`with` of {}, expected something that opens a scope", Describe(value)));
      }
      env_.NotUnderstood(value.range);
      if (name != nullptr) scopes_.Bind(name, PyValue(), name_range);
      continue;
    }
    value.scope->range = cursor_.Since(start);
    function_.OpenScope(value.scope, name, name_range);
    if (value.scope->form == ScopeForm::kBlock) {
      blocks_.Open(value.scope->block);
      ++blocks;
    }
  } while (cursor_.Accept(Tok::kComma));
  if (cursor_.failed()) BindNameAfterAs();
  const Stmt* body = ParseSuite();
  // Within `with` all scopes of the body are closed; those of the header remain.
  if (body != nullptr) {
    function_.Push(body);
  } else {
    env_.NotUnderstood(start);
  }
  blocks_.Close(blocks);
  function_.CloseScopes(scopes_base);
  scopes_.Pop();
}

}  // namespace tenon
