#include <fmt/format.h>

#include "parser/parser_internal.h"
#include "support/check.h"

// Forms that the dialect `tirx` has and `tir` has not: allocations that are statements, scalars,
// views, dicts of attributes, kinds of errors, quoted extents.

namespace tenon {

void Parser::WrongDialect(SourceRange range, std::string message) {
  Diagnostic& error = Error(DiagnosticKind::kSyntax, range, std::move(message));
  if (!text_dialect_.where.valid()) return;
  Diagnostics::AddNote(error, text_dialect_.where,
                       fmt::format("this makes it a text of the dialect `{}`", rules_->name));
}

bool Parser::CheckDialectName(std::string_view name, SourceRange range) {
  const DialectName* row = FindDialectName(name);
  if (row == nullptr || row->is_tirx == (module_.dialect == Dialect::kTirx)) return true;
  WrongDialect(range, fmt::format("`T.{}` is of the dialect `{}`, expected `{}`", name,
                                  row->is_tirx ? "tirx" : "tir", row->instead));
  return false;
}

const Args* Parser::WithoutLayout(const Args& args, Args* room) {
  for (size_t i = 0; i < args.keywords.size(); ++i) {
    if (args.keywords[i].name != "layout" || !rules_->has_flat_scopes) continue;
    if (!args.keywords[i].value.is(PyKind::kNone)) {
      Error(DiagnosticKind::kUnsupported, args.keywords[i].range,
            "layouts are not supported, expected `layout=None`");
      return nullptr;
    }
    *room = args;
    room->keywords.erase(room->keywords.begin() + static_cast<std::ptrdiff_t>(i));
    return room;
  }
  return &args;
}

PyValue Parser::NamedBuffer(SourceRange range, const Buffer* buffer) {
  PyValue value = PyValue::Of(range, buffer);
  if (buffer->buffer_kind == BufferKind::kScalar) value.kind = PyKind::kScalar;
  return value;
}

// `b = T.alloc_buffer((64,), "int32", annotations={"k": 1})`: an allocation and the declaration of
// its buffer.
PyValue Parser::CallAllocation(const TirName& name, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Args declared = args;
  const MapAttr* annotations = nullptr;
  for (size_t i = 0; i < declared.keywords.size(); ++i) {
    if (declared.keywords[i].name != "annotations") continue;
    annotations = ToMap(declared.keywords[i].value, /*normalise=*/true);
    if (annotations == nullptr) return error;
    declared.keywords.erase(declared.keywords.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  const std::string_view scope = name.text == "alloc_local"    ? "local"
                                 : name.text == "alloc_shared" ? "shared"
                                                               : std::string_view();
  if (!scope.empty()) {
    declared.keywords.push_back(
        {"scope", args.range, PyValue::Text(PyKind::kString, args.range, scope)});
  }
  const TirName form{name.text, TirForm::kDeclBuffer, name.kind, name.dtype, name.op};
  const PyValue value = CallBuffer(form, declared);
  if (!value.is(PyKind::kScope)) return value;
  if (value.scope->form != ScopeForm::kAllocatedBuffer) {
    Error(DiagnosticKind::kArguments, args.range,
          fmt::format("`T.{}` allocates, expected `T.decl_buffer` for existing `data`", name.text));
    return error;
  }
  value.scope->annotations = annotations;
  const bool is_scalar =
      !function_is_s_tir_ && annotations == nullptr && IsOneElement(*value.scope->buffer);
  if (is_scalar) value.scope->buffer->buffer_kind = BufferKind::kScalar;
  return value;
}

Buffer* Parser::NewScalar(DataType dtype, std::string_view scope, SourceRange range) {
  const DataType element = dtype == DataType::Bool() ? DataType::Int(8) : dtype;
  const Var* data = builder_.New<Var>(range, Symbol(), PointerTypeOf(element, scope));
  auto* buffer = arena_.New<Buffer>(
      Symbol(), data, dtype, builder_.List<Expr>({builder_.Int(1, range)}), builder_.Int(0, range));
  buffer->range = range;
  buffer->buffer_kind = BufferKind::kScalar;
  return buffer;
}

PyValue Parser::AllocScalar(const TirName& name, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Bound<2> bound;
  if (!Bind(args, {"dtype", "scope"}, 1, bound)) return error;
  const std::optional<DataType> dtype = ToDType(*bound[0]);
  if (!dtype || !CheckElement(*dtype, bound[0])) return error;
  std::string_view scope = name.text == "shared_scalar" ? "shared" : "local";
  if (bound[1] != nullptr) {
    const std::optional<std::string_view> text = ToText(*bound[1], "the storage scope");
    if (!text) return error;
    scope = *text;
  }
  PendingScope* allocation = NewScope(ScopeForm::kAllocatedBuffer, args.range);
  allocation->buffer = NewScalar(*dtype, scope, args.range);
  allocation->owns_data = true;
  return ScopeValue(allocation);
}

void Parser::DeclareScalar(NameEntry* name, SourceRange range, Buffer* buffer, const Expr* value) {
  PendingScope* scope = NewScope(ScopeForm::kAllocatedBuffer, Since(range));
  scope->buffer = buffer;
  scope->owns_data = true;
  OpenScope(scope, name, range);
  if (value != nullptr) StoreScalar(buffer, PyValue::Of(value->range, value), Since(range));
}

void Parser::StoreScalar(const Buffer* buffer, const PyValue& value, SourceRange range) {
  auto* target = scratch_->New<PySubscript>();
  target->buffer = buffer;
  target->indices = builder_.List<Expr>({builder_.Int(0, range)});
  target->range = range;
  Store(*target, value, nullptr, range);
}

void Parser::AnnotatedScalar(NameEntry* name, SourceRange range, DataType dtype) {
  Buffer* buffer = NewScalar(dtype, "local", range);
  if (!At(Tok::kAssign)) return DeclareScalar(name, range, buffer, nullptr);
  Advance();
  const PyValue value = ParseExprList();
  const Expr* expr = failed_ ? nullptr : ToExpr(value, dtype);
  if (expr == nullptr) {
    NotUnderstood(range);
    return scopes_.Bind(name, PyValue(), range);
  }
  DeclareScalar(name, range, buffer, expr);
}

const Type* Parser::LetType(const PyValue& annotation) { return ToType(annotation.items[0]); }

PyValue Parser::CallView(const Buffer* buffer, const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  Args room;
  const Args* plain = WithoutLayout(args, &room);
  if (plain == nullptr) return error;
  if (!plain->keywords.empty() || plain->positional.empty()) {
    Error(DiagnosticKind::kArguments, args.range,
          "`view` takes the extents of the new shape, or a dtype");
    return error;
  }
  auto* view = arena_.New<Buffer>(*buffer);
  view->name = Symbol();
  view->range = args.range;
  view->buffer_kind = BufferKind::kDefault;
  absl::InlinedVector<const Expr*, 6> shape;
  if (plain->positional[0].is(PyKind::kString)) {
    const std::optional<DataType> dtype = ToDType(plain->positional[0]);
    const Expr* last = dtype ? RescaledExtent(buffer, *dtype) : nullptr;
    if (last == nullptr) {
      if (dtype) {
        Error(DiagnosticKind::kType, args.range,
              fmt::format("a view as `{}` has no whole number of elements", dtype->ToString()));
      }
      return error;
    }
    shape.assign(buffer->shape.begin(), buffer->shape.end());
    shape.back() = last;
    view->dtype = *dtype;
  } else {
    for (const PyValue& extent : plain->positional) {
      shape.push_back(IndexOf(extent, "extent"));
      if (shape.back() == nullptr) return error;
    }
  }
  view->shape = arena_.Copy(Span<const Expr*>(shape.data(), shape.size()));
  PendingScope* scope = NewScope(ScopeForm::kDeclBuffer, args.range);
  scope->buffer = view;
  return ScopeValue(scope);
}

const Expr* Parser::RescaledExtent(const Buffer* buffer, DataType dtype) {
  const int64_t* last = buffer->shape.empty() ? nullptr : AsIntImm(buffer->shape.back());
  if (last == nullptr || dtype.bytes() == 0 || *last > INT64_MAX / buffer->dtype.bytes()) {
    return nullptr;
  }
  const int64_t bytes = *last * buffer->dtype.bytes();
  if (bytes % dtype.bytes() != 0) return nullptr;
  return builder_.Int(buffer->shape.back()->dtype, bytes / dtype.bytes(),
                      buffer->shape.back()->range);
}

// `T.attr({"a": 1, "b": 2})`: an attribute of the node 0 in another.
PyValue Parser::CallAttrDict(const Args& args) {
  const PyValue error(PyKind::kError, args.range);
  const PyValue& dict = args.positional[0];
  if (!args.keywords.empty() || dict.count == 0) {
    Error(DiagnosticKind::kArguments, args.range, "`T.attr` takes one argument, a dict with items");
    return error;
  }
  PendingScope* outer = nullptr;
  for (uint32_t i = dict.count; i >= 2; i -= 2) {
    const std::optional<std::string_view> key = ToText(dict.items[i - 2], "the key");
    PendingScope* scope = NewScope(ScopeForm::kAttr, args.range);
    scope->node = builder_.New<ExprAttr>(args.range, builder_.Int(0, args.range));
    scope->value = ToExpr(dict.items[i - 1]);
    if (!key || scope->value == nullptr) return error;
    scope->key = *key;
    scope->inner = outer;
    outer = scope;
  }
  return ScopeValue(outer);
}

const Expr* Parser::AssertMessage(const PyValue& value) {
  if (!rules_->has_error_kinds || !value.is(PyKind::kTuple)) {
    const std::optional<std::string_view> text = ToText(value, "the message of the assertion");
    return text ? builder_.New<StringImm>(value.range, *text) : nullptr;
  }
  if (value.count != 2 || !value.items[0].is(PyKind::kString) || !value.items[1].is_sequence()) {
    Error(DiagnosticKind::kArguments, value.range,
          "the message of an assertion, expected a string or `(\"RuntimeError\", [\"text\"])`");
    return nullptr;
  }
  absl::InlinedVector<const Expr*, 4> parts{ToExpr(value.items[0])};
  for (const PyValue& part : value.items[1].elements()) {
    const std::optional<std::string_view> text = ToText(part, "a part of the message");
    if (!text) return nullptr;
    parts.push_back(builder_.New<StringImm>(part.range, *text));
  }
  const bool is_plain = parts.size() == 2 && value.items[0].text() == "RuntimeError";
  if (is_plain) return parts[1];
  return NewCall(DataType::Handle(), Op::Get(OpKind::kTvmTuple),
                 arena_.Copy(Span<const Expr*>(parts.data(), parts.size())), value.range);
}

PyValue Parser::ReadQuotedExtents(const PyValue& shape) {
  const auto is_quoted = [](const PyValue& item) { return item.is(PyKind::kString); };
  const bool any = rules_->annotates_all_params && shape.is_sequence() &&
                   std::any_of(shape.elements().begin(), shape.elements().end(), is_quoted);
  if (!any) return shape;
  absl::InlinedVector<PyValue, 6> extents;
  for (const PyValue& item : shape.elements()) {
    extents.push_back(is_quoted(item) ? ReadQuotedExtent(item) : item);
  }
  return Items(shape.kind, shape.range, Span<PyValue>(extents.data(), extents.size()));
}

PyValue Parser::ReadQuotedExtent(const PyValue& text) {
  const size_t begin = text.range.begin - base_;
  const size_t end = text.range.end - base_;
  const std::string_view literal = lexer_.text().substr(begin, end - begin);
  const bool is_plain = literal.size() > 2 && literal.substr(1, literal.size() - 2) == text.text();
  if (!is_plain) {
    Error(DiagnosticKind::kArguments, text.range, "a quoted extent, expected an expression");
    return PyValue(PyKind::kError, text.range);
  }
  const LexerMark mark = MarkHere();
  const uint32_t previous_end = previous_end_;
  const std::string_view whole = lexer_.Clip(end - 1);
  lexer_.set_position(begin + 1);
  in_quoted_extent_ = true;
  lexer_.Next(token_);
  PyValue value = ParseExpr();
  if (!failed_ && token_.begin + 1 != end) UnexpectedToken("the end of the extent");
  in_quoted_extent_ = false;
  lexer_.Restore(whole);
  if (failed_) return PyValue(PyKind::kError, text.range);
  GoTo(mark);
  previous_end_ = previous_end;
  return value;
}

PyValue Parser::ShapeVar(NameEntry* name, SourceRange range) {
  if (const Binding* known = scopes_.FindInFrame(name)) return known->value.At(range);
  const auto param = scalar_params_.find(name);
  const DataType dtype = param == scalar_params_.end() ? DataType::Int(32) : param->second;
  Var* var = arena_.New<Var>(SymbolOf(name), PrimTypeOf(dtype));
  var->range = range;
  shape_vars_[name] = var;
  const PyValue value = PyValue::Of(range, static_cast<const Expr*>(var));
  Define(name, value, range);
  return value;
}

void Parser::NoteQuotedNames(std::string_view literal) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  size_t begin = 0;
  for (size_t i = 0; i <= literal.size(); ++i) {
    if (i < literal.size() && is_word(literal[i])) continue;
    if (i > begin) quoted_names_.insert(names_.Find(literal.substr(begin, i - begin)));
    begin = i + 1;
  }
}

// A quoted extent takes the dtype of a scalar parameter that follows it. Its names are good in the
// whole signature: `A: T.Buffer(("n", n * 2), "float32")`.
void Parser::ScanScalarParams() {
  const LexerMark mark = MarkHere();
  const std::string_view text = lexer_.text();
  const size_t begin = token_.begin;
  if (text.substr(begin, 1) != "(") return;
  Diagnostics ignored;
  Lexer scan(text, base_, names_, ignored);
  scan.set_quiet(true);
  scan.RestartLine(begin);
  scan.GoTo(begin, {});
  Token token;
  NameEntry* last = nullptr;
  for (scan.Next(token); token.kind != Tok::kEnd && token.kind != Tok::kBad; scan.Next(token)) {
    if (scan.bracket_depth() == 0) return;
    if (token.kind == Tok::kString) NoteQuotedNames(scan.Text(token));
    if (scan.bracket_depth() > 1) continue;
    if (token.kind == Tok::kColon) {
      Token dtype;
      for (int i = 0; i < 3; ++i) scan.Next(dtype);  // T . int32
      if (last != nullptr && dtype.kind == Tok::kName) {
        const std::optional<DataType> known = DTypeOf(dtype.name->text);
        if (known && known->is_integer()) scalar_params_[last] = *known;
      }
    }
    last = token.kind == Tok::kName ? token.name : nullptr;
  }
}

void Parser::ParseTypeVar() {
  const Token name = token_;
  Advance();  // the name
  Advance();  // =
  const bool is_type_var = At(Tok::kName) && token_.name->text == "TypeVar";
  if (!is_type_var) {
    UnexpectedToken("`TypeVar(\"n\")`: nothing else may stand outside of functions here");
    return;
  }
  Advance();
  if (!Expect(Tok::kLParen, "`(`")) return;
  if (!At(Tok::kString)) return UnexpectedToken("the name in quotes");
  Advance();
  if (!Expect(Tok::kRParen, "`)`")) return;
  type_vars_.push_back(name.name);
  EndOfStatement();
}

void Parser::BindTypeVars() {
  for (NameEntry* name : type_vars_) {
    Var* var = arena_.New<Var>(SymbolOf(name), PrimTypeOf(DataType::Int(64)));
    shape_vars_[name] = var;
    declared_vars_.push_back(var);
    scopes_.Bind(name, PyValue::Of({}, static_cast<const Expr*>(var)), {});
  }
}

}  // namespace tenon
