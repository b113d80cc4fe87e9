#include "parser/module_parser.h"

#include <fmt/format.h>

#include "frontends/relax/lower.h"
#include "ir/attributes.h"
#include "parser/relax_constants.h"
#include "parser/relax_reader.h"

namespace tenon {

ModuleParser::ModuleParser(Context& context, std::string_view text, uint32_t base,
                           const ParseOptions& options, SymbolTable* symbols,
                           Diagnostics& diagnostics)
    : env_(context, text, base, options, symbols, diagnostics),
      cursor_(text, base, env_.names, diagnostics),
      scopes_(env_),
      module_(context),
      values_(env_),
      operators_(env_, values_),
      attrs_(env_, values_),
      constants_(env_, values_, module_),
      blocks_(env_, values_),
      function_(env_, scopes_, values_, blocks_),
      functions_(env_),
      shape_vars_(env_, scopes_),
      forms_{env_, values_, operators_, attrs_, constants_, blocks_, function_, module_, exprs_},
      syntax_(env_, cursor_, scopes_, values_, attrs_, constants_, exprs_),
      exprs_(env_, cursor_, scopes_, values_, operators_, functions_, shape_vars_, forms_, syntax_),
      function_parser_(env_, cursor_, scopes_, values_, operators_, blocks_, function_, functions_,
                       shape_vars_, exprs_, module_),
      metadata_name_(env_.names.Find("metadata")) {}

bool ModuleParser::Parse() {
  BindPrefix("tir", "T");
  BindPrefix("tir", "tir");
  BindPrefix("tirx", "tirx");
  BindPrefix("relax", "R");
  BindPrefix("relax", "relax");
  BindPrefix("ir", "I");
  BindPrefix("ir", "ir");
  scopes_.Bind(env_.names.Find("metadata"), PyValue(PyKind::kMetadata, {}), {});
  cursor_.Start();
  while (!cursor_.At(Tok::kEnd) || cursor_.failed()) {
    if (!cursor_.failed()) ParseTop();
    if (cursor_.failed()) cursor_.Recover();
  }
  module_.dialect = env_.dialect;
  ReadRelaxFunction();
  if (env_.diagnostics.has_errors()) return false;
  if (!saw_module_ && !functions_.any_defined()) {
    env_.Error(DiagnosticKind::kSyntax, cursor_.Here(),
               "expected a module or a function, found neither");
    return false;
  }
  return true;
}

void ModuleParser::ParseTop() {
  ApplyAliases();
  switch (cursor_.token().kind) {
    case Tok::kNewline:
    case Tok::kDedent:
      return cursor_.Advance();
    case Tok::kIndent:
      env_.Error(DiagnosticKind::kIndentation, cursor_.Here(), "unexpected indentation");
      return cursor_.Advance();
    case Tok::kImport:
    case Tok::kFrom:
      return ParseImport();
    case Tok::kAt:
      return ParseDecorated();
    case Tok::kString: {  // a docstring
      exprs_.ParseStringLiteral();
      return cursor_.EndOfStatement();
    }
    case Tok::kClass:
    case Tok::kDef:
      env_.Error(DiagnosticKind::kSyntax, cursor_.Here(),
                 fmt::format("`{}` without decorator, expected `{}` above it", cursor_.Text(),
                             cursor_.At(Tok::kClass) ? "@I.ir_module" : "@T.prim_func"));
      if (cursor_.At(Tok::kClass)) return ParseClass();
      return ParseDef({});
    default:
      break;
  }
  if (cursor_.token().name == metadata_name_ && cursor_.PeekChar() == '=') return ParseMetadata();
  if (cursor_.At(Tok::kName) && cursor_.PeekChar() == '=') return ParseTypeVar();
  cursor_.UnexpectedToken("`@I.ir_module`, `@T.prim_func`, `import` or `metadata =`");
  cursor_.SkipBlock();
}

void ModuleParser::ParseImport() {
  // import tvm / from tvm.script import tir as T, ir as I
  const bool from = cursor_.At(Tok::kFrom);
  cursor_.Advance();
  const auto skip_path = [&] {
    std::string_view last;
    while (cursor_.At(Tok::kName) || cursor_.At(Tok::kDot)) {
      if (cursor_.At(Tok::kName)) last = cursor_.token().name->text;
      cursor_.Advance();
    }
    return last;
  };
  if (from) {
    skip_path();
    if (!cursor_.Expect(Tok::kImport, "`import`")) return;
  }
  const bool parenthesised = cursor_.Accept(Tok::kLParen);
  do {
    if (cursor_.Accept(Tok::kStar)) continue;
    const std::string_view name = skip_path();
    std::string_view prefix = name;
    if (cursor_.Accept(Tok::kAs)) {
      prefix = skip_path();
      if (prefix.empty()) return cursor_.UnexpectedToken("a name after `as`");
    }
    if (name.empty()) return cursor_.UnexpectedToken("the name of a module");
    BindPrefix(name, prefix);
  } while (cursor_.Accept(Tok::kComma));
  if (parenthesised && !cursor_.Expect(Tok::kRParen, "`)`")) return;
  cursor_.EndOfStatement();
}

void ModuleParser::BindPrefix(std::string_view dialect, std::string_view prefix) {
  PyKind kind = PyKind::kTirModule;
  if (dialect == "ir") {
    kind = PyKind::kIrModule;
  } else if (dialect == "relax") {
    kind = PyKind::kRelaxModule;
  } else if (dialect != "tir" && dialect != "tirx") {
    return;
  }
  scopes_.Bind(env_.names.Find(prefix), PyValue(kind, {}), {});
}

void ModuleParser::ApplyAliases() {
  for (; aliases_applied_ < cursor_.aliases().size(); ++aliases_applied_) {
    const auto& [dialect, prefix] = cursor_.aliases()[aliases_applied_];
    BindPrefix(dialect, prefix);
  }
}

void ModuleParser::ParseMetadata() {
  // metadata = tvm.ir.load_json("""...""")
  const Token name = cursor_.token();
  cursor_.Advance();
  cursor_.Advance();
  while (cursor_.At(Tok::kName) || cursor_.At(Tok::kDot)) cursor_.Advance();
  if (!cursor_.Expect(Tok::kLParen, "`tvm.ir.load_json(`")) return;
  if (!cursor_.At(Tok::kString)) return cursor_.UnexpectedToken("the text of the metadata");
  std::string_view literal = cursor_.Text();
  const size_t quotes = literal.starts_with("\"\"\"") || literal.starts_with("'''") ? 3 : 1;
  const uint32_t begin = cursor_.Here().begin + static_cast<uint32_t>(quotes);
  if (literal.front() != '"' && literal.front() != '\'') {
    return cursor_.UnexpectedToken("the text of the metadata without a prefix");
  }
  literal = literal.substr(quotes, literal.size() - 2 * quotes);
  attrs_.ReadMetadata(literal, begin, cursor_.RangeOf(name));
  cursor_.Advance();
  cursor_.Expect(Tok::kRParen, "`)`");
  if (!cursor_.failed()) cursor_.EndOfStatement();
}

void ModuleParser::ParseTypeVar() {
  const Token name = cursor_.token();
  cursor_.Advance();  // the name
  cursor_.Advance();  // =
  const bool is_type_var = cursor_.At(Tok::kName) && cursor_.token().name->text == "TypeVar";
  if (!is_type_var) {
    cursor_.UnexpectedToken("`TypeVar(\"n\")`: nothing else is allowed outside of functions");
    return;
  }
  cursor_.Advance();
  if (!cursor_.Expect(Tok::kLParen, "`(`")) return;
  if (!cursor_.At(Tok::kString)) return cursor_.UnexpectedToken("the name in quotes");
  cursor_.Advance();
  if (!cursor_.Expect(Tok::kRParen, "`)`")) return;
  env_.RaiseDialect(Dialect::kV027);
  shape_vars_.AddTypeVar(name.name, cursor_.RangeOf(name));
  cursor_.EndOfStatement();
}

void ModuleParser::MoreDecorators() {
  while (cursor_.At(Tok::kAt) && !cursor_.failed()) {
    const Decorator more = ParseDecorator(env_, cursor_, exprs_);
    if (!more.is_unknown) {
      env_.Error(DiagnosticKind::kSyntax, more.range, "more than one decorator");
    }
  }
}

void ModuleParser::CheckDecorator(const Decorator& decorator, bool wants_module) {
  if (wants_module ? decorator.is_module : decorator.is_function || decorator.is_relax) return;
  env_.Error(DiagnosticKind::kSyntax, decorator.range,
             wants_module ? "decorator of a function above a class, expected `@I.ir_module`"
                          : "decorator of a module above a function, expected `@T.prim_func`");
}

void ModuleParser::ParseDecorated() {
  const Decorator decorator = ParseDecorator(env_, cursor_, exprs_);
  MoreDecorators();
  if (decorator.is_unknown && (cursor_.At(Tok::kClass) || cursor_.At(Tok::kDef)))
    return cursor_.SkipBlock();
  if (cursor_.At(Tok::kClass)) {
    CheckDecorator(decorator, /*wants_module=*/true);
    return ParseClass();
  }
  if (cursor_.At(Tok::kDef)) {
    CheckDecorator(decorator, /*wants_module=*/false);
    if (saw_module_) {
      env_.Error(DiagnosticKind::kSyntax, decorator.range, "expected no function after the module");
    } else if (functions_.any_defined()) {
      env_.Error(DiagnosticKind::kSyntax, decorator.range,
                 "more than one function outside of a module");
    }
    module_.bare_function = true;
    return ParseDef(decorator);
  }
  cursor_.UnexpectedToken("`class` or `def` after a decorator");
}

void ModuleParser::ParseDef(const Decorator& decorator) {
  if (decorator.is_relax) return SkipRelaxFunction();
  function_parser_.ParseFunction(decorator.traits);
}

void ModuleParser::ParseClass() {
  if (saw_module_ || functions_.any_defined()) {
    env_.Error(DiagnosticKind::kSyntax, cursor_.Here(), "more than one module in a text");
  }
  saw_module_ = true;
  cursor_.Advance();
  const Token name = cursor_.token();
  if (cursor_.token().name == nullptr) {
    cursor_.UnexpectedToken("the name of the module");
  } else {
    module_.name = env_.SymbolOf(cursor_.token().name);
    cursor_.Advance();
  }
  if (cursor_.At(Tok::kLParen)) {
    cursor_.SyntaxError(DiagnosticKind::kUnsupported, cursor_.Here(), "base class of a module");
  }
  if (!cursor_.failed()) cursor_.Expect(Tok::kColon, "`:`");
  if (!cursor_.failed() && !cursor_.At(Tok::kNewline)) {
    if (!cursor_.At(Tok::kPass)) return cursor_.UnexpectedToken("end of line");
    cursor_.Advance();
    return cursor_.EndOfStatement();
  }
  if (cursor_.failed()) cursor_.Recover();
  if (cursor_.At(Tok::kNewline)) cursor_.Advance();
  const bool indented = cursor_.At(Tok::kIndent);
  if (!indented) {
    // The next statements count as the body, and are read for their errors.
    env_.Error(DiagnosticKind::kIndentation, cursor_.Here(),
               fmt::format("found {}, expected an indented block", cursor_.DescribeToken()));
  } else {
    cursor_.Advance();
  }
  scopes_.Push();
  if (name.name != nullptr) {
    const SourceRange range = cursor_.RangeOf(name);
    module_symbol_ = env_.AddSymbol(SymbolKind::kModule, name.name->text, range);
    scopes_.Bind(name.name, PyValue(PyKind::kClass, range), {}, module_symbol_);
  }
  ParseClassBody();
  scopes_.Pop();
  if (indented && cursor_.At(Tok::kDedent)) cursor_.Advance();
}

void ModuleParser::ParseClassBody() {
  while (!cursor_.At(Tok::kDedent) && !cursor_.At(Tok::kEnd)) {
    ApplyAliases();
    ParseClassStatement();
    if (cursor_.failed()) cursor_.Recover();
  }
}

void ModuleParser::ParseClassStatement() {
  switch (cursor_.token().kind) {
    case Tok::kAt: {
      const Decorator decorator = ParseDecorator(env_, cursor_, exprs_);
      MoreDecorators();
      if (cursor_.failed()) return;
      if (decorator.is_unknown && (cursor_.At(Tok::kClass) || cursor_.At(Tok::kDef)))
        return cursor_.SkipBlock();
      if (cursor_.At(Tok::kDef)) CheckDecorator(decorator, /*wants_module=*/false);
      if (!cursor_.At(Tok::kDef)) return cursor_.UnexpectedToken("`def` after a decorator");
      return ParseDef(decorator);
    }
    case Tok::kDef:
      env_.Error(DiagnosticKind::kSyntax, cursor_.Here(),
                 "`def` without decorator, expected `@T.prim_func` above it");
      return ParseDef({});
    case Tok::kPass:
      cursor_.Advance();
      return cursor_.EndOfStatement();
    case Tok::kNewline:
      return cursor_.Advance();
    case Tok::kIndent:
      env_.Error(DiagnosticKind::kIndentation, cursor_.Here(), "unexpected indentation");
      cursor_.Advance();
      ParseClassBody();
      if (cursor_.At(Tok::kDedent)) cursor_.Advance();
      return;
    default:
      break;
  }
  // TVM's tests of functions that call others have this name.
  if (cursor_.At(Tok::kName) && cursor_.token().name->text == "__tvm_meta__")
    return cursor_.SkipBlock();
  const bool is_expression =
      cursor_.At(Tok::kName) || cursor_.At(Tok::kString) || cursor_.token().name == nullptr;
  const char next = cursor_.token().name == nullptr ? '\0' : cursor_.PeekChar();
  if (!is_expression || next == '=' || next == ':') {
    cursor_.SyntaxError("statement in the module, expected `I.module_attrs(...)` or a function");
    return cursor_.SkipBlock();
  }
  const PyValue value = exprs_.ParseExpr();
  if (cursor_.failed()) return;
  const bool fine = value.is(PyKind::kDone) || value.is(PyKind::kString) || value.is_error();
  if (!fine) {
    env_.Error(DiagnosticKind::kSyntax, value.range,
               "statement in the module, expected `I.module_attrs(...)` or a function");
  }
  cursor_.EndOfStatement();
}

void ModuleParser::SkipRelaxFunction() {
  const size_t begin = cursor_.token().begin;
  cursor_.Advance();  // def
  NameEntry* name = cursor_.token().name;
  const SourceRange range = cursor_.Here();
  if (name == nullptr) return cursor_.UnexpectedToken("the name of a function");
  functions_.Define(name, range);
  if (relax_begin_) {
    env_.Error(DiagnosticKind::kUnsupported, range,
               "more than one Relax function, expected one that calls TIR functions");
  }
  relax_begin_ = begin;
  while (!cursor_.failed() && !cursor_.At(Tok::kNewline) && !cursor_.At(Tok::kEnd))
    cursor_.Advance();
  if (cursor_.At(Tok::kNewline)) cursor_.Advance();
  for (size_t depth = 0; !cursor_.failed() && !cursor_.At(Tok::kEnd);) {
    if (cursor_.At(Tok::kIndent)) ++depth;
    if (depth == 0) return;
    const bool closes = cursor_.At(Tok::kDedent) && --depth == 0;
    cursor_.Advance();
    if (closes) return;
  }
}

void ModuleParser::ReadRelaxFunction() {
  if (!relax_begin_) return;
  RelaxReader reader(env_, *relax_begin_, {module_.name.view(), module_symbol_}, constants_,
                     functions_);
  std::optional<relax::Function> function = reader.Read();
  if (!function || env_.diagnostics.has_errors()) return;
  if (!relax::CheckCalls(*function, module_, env_.diagnostics) ||
      !FindRelaxConstants(env_, attrs_, constants_, *function))
    return;
  module_.Add(relax::Lower(*function, module_, env_.storage));
}

}  // namespace tenon
