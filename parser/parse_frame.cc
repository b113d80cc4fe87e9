#include <fmt/format.h>

#include <cctype>

#include "parser/parser_internal.h"
#include "support/check.h"

// Scopes while they are open, and what becomes of them when they close.

namespace tenon {

void Parser::OpenScope(PendingScope* scope, NameEntry* name, SourceRange name_range) {
  PyValue bound;
  switch (scope->form) {
    case ScopeForm::kAllocate:
    case ScopeForm::kAllocateConst:
    case ScopeForm::kLetStmt:
      if (scope->var == nullptr) {
        scope->var =
            arena_.New<Var>(name != nullptr ? SymbolOf(name) : context_.Intern("v"), scope->type);
        scope->var->range = name != nullptr ? name_range : scope->range;
      }
      bound = PyValue::Of(name_range, static_cast<const Expr*>(scope->var));
      break;
    case ScopeForm::kDeclBuffer:
    case ScopeForm::kAllocatedBuffer:
      if (name != nullptr) NameBuffer(scope->buffer, name, scope->owns_data);
      bound = NamedBuffer(name_range, scope->buffer);
      break;
    case ScopeForm::kAttr:
      if (scope->thread != nullptr) {
        if (name != nullptr && scope->var->name.empty()) scope->var->name = SymbolOf(name);
        bound = PyValue(PyKind::kIterVar, name_range);
        bound.iter_var = scope->thread;
      }
      break;
    default:
      break;
  }
  if (name != nullptr) {
    if (bound.is_error()) {
      Error(DiagnosticKind::kType, name_range, "this scope has no value that `as` could name");
    }
    Define(name, bound, name_range);
  }
  scope->start = statements_.size();
  open_scopes_.push_back(scope);
  if (scope->inner != nullptr) OpenScope(scope->inner, nullptr, scope->range);
}

const Stmt* Parser::TakeStatements(size_t base, SourceRange range) {
  TENON_CHECK(base <= statements_.size());
  const Span<const Stmt*> all(statements_.data() + base, statements_.size() - base);
  const Stmt* body = nullptr;
  if (all.size() == 1) {
    body = all[0];
  } else {
    body = builder_.Seq(all, all.empty() ? range : SourceRange{});
  }
  statements_.resize(base);
  return body;
}

void Parser::CloseScopes(size_t base) {
  while (open_scopes_.size() > base) {
    PendingScope* scope = open_scopes_.back();
    TENON_CHECK(scope != nullptr);
    open_scopes_.pop_back();
    const Stmt* body = TakeStatements(scope->start, scope->range);
    if (scope->form == ScopeForm::kInit) {
      TENON_CHECK(!open_blocks_.empty());
      open_blocks_.back()->init = body;
    } else {
      Push(CloseScope(*scope, body));
    }
  }
}

const Stmt* Parser::CloseScope(const PendingScope& scope, const Stmt* body) {
  const SourceRange range = scope.range;
  switch (scope.form) {
    case ScopeForm::kAllocate:
      return builder_.New<Allocate>(range, scope.var, scope.dtype, scope.extents, scope.condition,
                                    scope.annotations, body);
    case ScopeForm::kAllocateConst:
      return builder_.New<AllocateConst>(range, scope.var, scope.dtype, scope.extents, scope.data,
                                         scope.annotations, body);
    case ScopeForm::kLetStmt:
      return builder_.New<LetStmt>(range, scope.var, scope.value, body);
    case ScopeForm::kAttr:
      return builder_.New<AttrStmt>(range, scope.node, scope.key, scope.value, body);
    case ScopeForm::kAssert:
      return builder_.New<AssertStmt>(range, scope.condition, scope.value, body);
    case ScopeForm::kDeclBuffer:
      return builder_.New<DeclBuffer>(range, scope.buffer, body);
    case ScopeForm::kAllocatedBuffer:
      return builder_.New<Allocate>(range, scope.buffer->data, scope.buffer->dtype,
                                    scope.buffer->shape, builder_.Bool(true, range),
                                    scope.annotations,
                                    builder_.New<DeclBuffer>(range, scope.buffer, body));
    case ScopeForm::kRealize:
      return builder_.New<BufferRealize>(range, scope.buffer, scope.bounds, scope.key,
                                         scope.condition, body);
    case ScopeForm::kProducerRealize:
      return builder_.New<ProducerRealize>(range, scope.buffer, scope.bounds, scope.condition,
                                           body);
    case ScopeForm::kBlock:
      TENON_CHECK(scope.block != nullptr);
      return CloseBlock(*scope.block, body, range);
    case ScopeForm::kInit:
      return body;
  }
  TENON_UNREACHABLE();
}

void Parser::Define(NameEntry* name, const PyValue& value, SourceRange range) {
  const Binding* known = scopes_.FindInFrame(name);
  if (known != nullptr && !known->value.is_error() && !value.is_error()) {
    Diagnostic& error = Error(DiagnosticKind::kDuplicateName, range,
                              fmt::format("`{}` is already defined", name->text));
    Diagnostics::AddNote(error, known->where, "the earlier definition is here");
  }
  scopes_.Bind(name, value, range);
}

void Parser::BindNameBehindAs() {
  // So that what uses the name is not complained about too.
  const std::string_view text = lexer_.text();
  const size_t begin = std::min<size_t>(token_.begin, text.size());
  const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  const size_t as = line.rfind(" as ");
  if (as == std::string_view::npos) return;
  size_t end = as + 4;
  const size_t name = end;
  while (end < line.size() &&
         (line[end] == '_' || std::isalnum(static_cast<unsigned char>(line[end]))))
    ++end;
  if (end > name) scopes_.Bind(names_.Find(line.substr(name, end - name)), PyValue(), {});
}

void Parser::ParseWith() {
  const SourceRange start = Here();
  Advance();
  const size_t scopes_base = open_scopes_.size();
  scopes_.Push();
  size_t blocks = 0;
  do {
    const PyValue value = ParseExpr();
    NameEntry* name = nullptr;
    SourceRange name_range;
    if (At(Tok::kAs)) {
      Advance();
      name = token_.name;
      name_range = Here();
      if (name == nullptr) {
        UnexpectedToken("a name after `as`");
        break;
      }
      Advance();
    }
    if (failed_) break;
    if (!value.is(PyKind::kScope)) {
      if (!value.is_error()) {
        Error(DiagnosticKind::kType, value.range,
              fmt::format("`with` of {}, expected something that opens a scope", Describe(value)));
      }
      NotUnderstood(value.range);
      if (name != nullptr) scopes_.Bind(name, PyValue(), name_range);
      continue;
    }
    value.scope->range = Since(start);
    OpenScope(value.scope, name, name_range);
    if (value.scope->form == ScopeForm::kBlock) {
      open_blocks_.push_back(value.scope->block);
      ++blocks;
    }
  } while (Accept(Tok::kComma));
  if (failed_) BindNameBehindAs();
  const Stmt* body = ParseSuite();
  // Within `with` all scopes of the body are closed; those of the header remain.
  if (body != nullptr) {
    Push(body);
  } else {
    NotUnderstood(start);
  }
  TENON_CHECK(blocks <= open_blocks_.size());
  open_blocks_.resize(open_blocks_.size() - blocks);
  CloseScopes(scopes_base);
  scopes_.Pop();
}

}  // namespace tenon
