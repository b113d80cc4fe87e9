#include <fmt/format.h>

#include "parser/metadata.h"
#include "parser/parser_internal.h"

namespace tenon {

void Parser::BindPrefix(std::string_view dialect, std::string_view prefix) {
  PyKind kind = PyKind::kTirModule;
  if (dialect == "ir") {
    kind = PyKind::kIrModule;
  } else if (dialect == "relax") {
    kind = PyKind::kRelaxModule;
  } else if (dialect != "tir" && dialect != "tirx") {
    return;
  }
  scopes_.Bind(names_.Find(prefix), PyValue(kind, {}), {});
}

void Parser::ApplyAliases() {
  for (; aliases_applied_ < lexer_.aliases().size(); ++aliases_applied_) {
    const auto& [dialect, prefix] = lexer_.aliases()[aliases_applied_];
    BindPrefix(dialect, prefix);
  }
}

std::optional<IRModule> Parser::Parse() {
  BindPrefix("tir", "T");
  BindPrefix("tir", "tir");
  BindPrefix("tirx", "tirx");
  BindPrefix("relax", "R");
  BindPrefix("relax", "relax");
  BindPrefix("ir", "I");
  BindPrefix("ir", "ir");
  scopes_.Bind(metadata_name_, PyValue(PyKind::kMetadata, {}), {});
  lexer_.Next(token_);
  if (token_.kind == Tok::kBad) failed_ = true;
  while (!At(Tok::kEnd) || failed_) {
    if (!failed_) ParseTop();
    if (failed_) Recover();
  }
  ReadRelaxFunction();
  if (diagnostics_.has_errors()) return std::nullopt;
  if (!saw_module_ && functions_seen_.empty()) {
    Error(DiagnosticKind::kSyntax, Here(), "expected a module or a function, found neither");
    return std::nullopt;
  }
  return std::move(module_);
}

void Parser::ParseTop() {
  ApplyAliases();
  switch (token_.kind) {
    case Tok::kNewline:
    case Tok::kDedent:
      return Advance();
    case Tok::kIndent:
      Error(DiagnosticKind::kIndentation, Here(), "unexpected indentation");
      return Advance();
    case Tok::kImport:
    case Tok::kFrom:
      return ParseImport();
    case Tok::kAt:
      return ParseDecorated();
    case Tok::kString: {  // a docstring
      ParseStringLiteral();
      return EndOfStatement();
    }
    case Tok::kClass:
    case Tok::kDef:
      Error(DiagnosticKind::kSyntax, Here(),
            fmt::format("`{}` without decorator, expected `{}` above it", lexer_.Text(token_),
                        At(Tok::kClass) ? "@I.ir_module" : "@T.prim_func"));
      if (At(Tok::kClass)) return ParseClass();
      return ParseFunction({});
    default:
      break;
  }
  if (token_.name == metadata_name_ && lexer_.PeekChar() == '=') return ParseMetadata();
  if (At(Tok::kName) && lexer_.PeekChar() == '=') return ParseTypeVar();
  UnexpectedToken("`@I.ir_module`, `@T.prim_func`, `import` or `metadata =`");
  SkipBlock();
}

void Parser::ParseImport() {
  // import tvm / from tvm.script import tir as T, ir as I
  const bool from = At(Tok::kFrom);
  Advance();
  const auto skip_path = [&] {
    std::string_view last;
    while (At(Tok::kName) || At(Tok::kDot)) {
      if (At(Tok::kName)) last = token_.name->text;
      Advance();
    }
    return last;
  };
  if (from) {
    skip_path();
    if (!Expect(Tok::kImport, "`import`")) return;
  }
  const bool parenthesised = Accept(Tok::kLParen);
  do {
    if (Accept(Tok::kStar)) continue;
    const std::string_view name = skip_path();
    std::string_view prefix = name;
    if (Accept(Tok::kAs)) {
      prefix = skip_path();
      if (prefix.empty()) return UnexpectedToken("a name after `as`");
    }
    if (name.empty()) return UnexpectedToken("the name of a module");
    BindPrefix(name, prefix);
  } while (Accept(Tok::kComma));
  if (parenthesised && !Expect(Tok::kRParen, "`)`")) return;
  EndOfStatement();
}

void Parser::MoreDecorators() {
  while (At(Tok::kAt) && !failed_) {
    const Decorator more = ParseDecorator();
    if (!more.is_unknown) {
      Error(DiagnosticKind::kSyntax, more.range, "more than one decorator");
    }
  }
}

void Parser::CheckDecorator(const Decorator& decorator, bool wants_module) {
  if (wants_module ? decorator.is_module : decorator.is_function || decorator.is_relax) return;
  Error(DiagnosticKind::kSyntax, decorator.range,
        wants_module ? "decorator of a function above a class, expected `@I.ir_module`"
                     : "decorator of a module above a function, expected `@T.prim_func`");
}

void Parser::ParseDecorated() {
  const Decorator decorator = ParseDecorator();
  MoreDecorators();
  if (decorator.is_unknown && (At(Tok::kClass) || At(Tok::kDef))) return SkipBlock();
  if (At(Tok::kClass)) {
    CheckDecorator(decorator, /*wants_module=*/true);
    return ParseClass();
  }
  if (At(Tok::kDef)) {
    CheckDecorator(decorator, /*wants_module=*/false);
    if (saw_module_) {
      Error(DiagnosticKind::kSyntax, decorator.range, "expected no function after the module");
    } else if (!functions_seen_.empty()) {
      Error(DiagnosticKind::kSyntax, decorator.range, "more than one function outside of a module");
    }
    module_.bare_function = true;
    return ParseFunction(decorator);
  }
  UnexpectedToken("`class` or `def` after a decorator");
}

void Parser::ParseClass() {
  if (saw_module_ || !functions_seen_.empty()) {
    Error(DiagnosticKind::kSyntax, Here(), "more than one module in a text");
  }
  saw_module_ = true;
  Advance();
  const Token name = token_;
  if (token_.name == nullptr) {
    UnexpectedToken("the name of the module");
  } else {
    module_.name = SymbolOf(token_.name);
    Advance();
  }
  if (At(Tok::kLParen)) {
    SyntaxError(DiagnosticKind::kUnsupported, Here(), "base class of a module");
  }
  if (!failed_) Expect(Tok::kColon, "`:`");
  if (!failed_ && !At(Tok::kNewline)) {
    if (!At(Tok::kPass)) return UnexpectedToken("end of line");
    Advance();
    return EndOfStatement();
  }
  if (failed_) Recover();
  if (At(Tok::kNewline)) Advance();
  const bool indented = At(Tok::kIndent);
  if (!indented) {
    // What follows is taken for the body all the same, and read for its errors.
    Error(DiagnosticKind::kIndentation, Here(),
          fmt::format("found {}, expected an indented block", Describe(lexer_, token_)));
  } else {
    Advance();
  }
  scopes_.Push();
  if (name.name != nullptr) {
    scopes_.Bind(name.name, PyValue(PyKind::kClass, lexer_.Range(name)), {});
  }
  ParseClassBody();
  scopes_.Pop();
  if (indented && At(Tok::kDedent)) Advance();
}

void Parser::ParseClassBody() {
  while (!At(Tok::kDedent) && !At(Tok::kEnd)) {
    ApplyAliases();
    ParseClassStatement();
    if (failed_) Recover();
  }
}

void Parser::ParseClassStatement() {
  switch (token_.kind) {
    case Tok::kAt: {
      const Decorator decorator = ParseDecorator();
      MoreDecorators();
      if (failed_) return;
      if (decorator.is_unknown && (At(Tok::kClass) || At(Tok::kDef))) return SkipBlock();
      if (At(Tok::kDef)) CheckDecorator(decorator, /*wants_module=*/false);
      if (!At(Tok::kDef)) return UnexpectedToken("`def` after a decorator");
      return ParseFunction(decorator);
    }
    case Tok::kDef:
      Error(DiagnosticKind::kSyntax, Here(),
            "`def` without decorator, expected `@T.prim_func` above it");
      return ParseFunction({});
    case Tok::kPass:
      Advance();
      return EndOfStatement();
    case Tok::kNewline:
      return Advance();
    case Tok::kIndent:
      Error(DiagnosticKind::kIndentation, Here(), "unexpected indentation");
      Advance();
      ParseClassBody();
      if (At(Tok::kDedent)) Advance();
      return;
    default:
      break;
  }
  // TVM's tests of functions that call others have it.
  if (At(Tok::kName) && token_.name->text == "__tvm_meta__") return SkipBlock();
  const bool is_expression = At(Tok::kName) || At(Tok::kString) || token_.name == nullptr;
  const char next = token_.name == nullptr ? '\0' : lexer_.PeekChar();
  if (!is_expression || next == '=' || next == ':') {
    SyntaxError("statement in the module, expected `I.module_attrs(...)` or a function");
    return SkipBlock();
  }
  const PyValue value = ParseExpr();
  if (failed_) return;
  const bool fine = value.is(PyKind::kDone) || value.is(PyKind::kString) || value.is_error();
  if (!fine) {
    Error(DiagnosticKind::kSyntax, value.range,
          "statement in the module, expected `I.module_attrs(...)` or a function");
  }
  EndOfStatement();
}

void Parser::ParseMetadata() {
  // metadata = tvm.ir.load_json("""...""")
  const Token name = token_;
  Advance();
  Advance();
  while (At(Tok::kName) || At(Tok::kDot)) Advance();
  if (!Expect(Tok::kLParen, "`tvm.ir.load_json(`")) return;
  if (!At(Tok::kString)) return UnexpectedToken("the text of the metadata");
  std::string_view literal = lexer_.Text(token_);
  const size_t quotes = literal.starts_with("\"\"\"") || literal.starts_with("'''") ? 3 : 1;
  const uint32_t begin = Here().begin + static_cast<uint32_t>(quotes);
  if (literal.front() != '"' && literal.front() != '\'') {
    return UnexpectedToken("the text of the metadata without a prefix");
  }
  literal = literal.substr(quotes, literal.size() - 2 * quotes);
  if (metadata_ != nullptr) {
    Error(DiagnosticKind::kDuplicateName, lexer_.Range(name), "`metadata` is given already");
  }
  metadata_ = std::make_unique<MetadataTable>();
  (void)tenon::ParseMetadata(context_, arena_, literal, begin, diagnostics_, metadata_.get());
  Advance();
  Expect(Tok::kRParen, "`)`");
  if (!failed_) EndOfStatement();
}

void Parser::ScanSignatures() {
  if (scanned_) return;
  scanned_ = true;
  // All `def NAME(` at the start of a line; and what they return, for those that say so.
  const std::string_view text = lexer_.text();
  Diagnostics ignored;
  for (size_t pos = text.find("def "); pos != std::string_view::npos;
       pos = text.find("def ", pos + 4)) {
    size_t before = pos;
    while (before > 0 && text[before - 1] == ' ') --before;
    if (before > 0 && text[before - 1] != '\n') continue;
    Lexer scan(text, base_, names_, ignored);
    scan.RestartLine(pos);
    Token token;
    scan.Next(token);
    while (token.kind == Tok::kIndent) scan.Next(token);
    if (token.kind != Tok::kDef) continue;
    scan.Next(token);
    if (token.name == nullptr) continue;
    NameEntry* name = token.name;
    DataType dtype = DataType::Void();
    for (scan.Next(token); token.kind != Tok::kEnd && token.kind != Tok::kNewline;
         scan.Next(token)) {
      if (token.kind == Tok::kColon && scan.bracket_depth() == 0) break;
      // A bracket that is not closed: what follows is another function's.
      if (token.kind == Tok::kDef || token.kind == Tok::kAt) break;
      if (token.kind != Tok::kArrow) continue;
      for (int i = 0; i < 3; ++i) scan.Next(token);  // T . int32
      if (token.name != nullptr) dtype = DTypeOf(token.name->text).value_or(DataType::Void());
    }
    signatures_.emplace(name, dtype);
  }
}

}  // namespace tenon
